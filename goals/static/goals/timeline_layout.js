// Where everything of the timeline stands. Pure: bars and lanes in, places out; times in seconds, lengths in pixels.

export const ROW = 16;
const GAP = 3;
const PADDING = 8;
const SKIPPED = 36; // the width of a gap that is skipped
const LEAST_SKIPPED = 2; // seconds
const LEAST_WIDTH = 3;

// When nothing but waiting was going on: [{ from, to }].
export function gaps(bars, end) {
  const found = [];
  let busyTo = 0;
  for (const bar of bars.filter((one) => one.kind !== "question").toSorted((a, b) => a.from - b.from)) {
    if (bar.from > busyTo) found.push({ from: busyTo, to: bar.from });
    busyTo = Math.max(busyTo, bar.to ?? end);
  }
  if (end > busyTo) found.push({ from: busyTo, to: end });
  return found;
}

// A scale from time to place, so that `end` stands at `width`. Long gaps are drawn short where `skip` is asked for.
export function scale(bars, end, width, skip) {
  const all = gaps(bars, end);
  const work = end - all.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const long = skip ? all.filter((gap) => gap.to - gap.from > Math.max(LEAST_SKIPPED, work / 6)) : [];
  const left = Math.max(0.001, end - long.reduce((sum, gap) => sum + gap.to - gap.from, 0));
  const perSecond = Math.max(1, width - SKIPPED * long.length) / left;
  const x = (time) => {
    let place = Math.min(time, end) * perSecond;
    for (const gap of long) {
      if (time <= gap.from) break;
      const passed = Math.min(time, gap.to) - gap.from;
      place += (passed / (gap.to - gap.from)) * SKIPPED - passed * perSecond;
    }
    return place;
  };
  return { x, skipped: long, width: x(end), perSecond };
}

// Puts what ran at once side by side: each bar gets a row of its lane; returns the lanes with their heights.
export function pack(lanes, bars, end, x) {
  const found = lanes.map((lane) => ({ ...lane, ends: [], bars: [] }));
  const byId = new Map(found.map((lane) => [lane.id, lane]));
  for (const bar of bars) {
    const lane = byId.get(bar.lane) ?? found[0];
    const free = lane.ends.findIndex((taken) => taken <= bar.from);
    const row = free < 0 ? lane.ends.length : free;
    lane.ends[row] = bar.to ?? end;
    const from = x(bar.from);
    lane.bars.push({ bar, row, x: from, w: Math.max(LEAST_WIDTH, x(bar.to ?? end) - from) });
  }
  let top = 0;
  return found
    .filter((lane) => lane.bars.length)
    .map((lane) => {
      const height = lane.ends.length * (ROW + GAP) - GAP + 2 * PADDING;
      const placed = { id: lane.id, title: lane.title, top, height, bars: lane.bars };
      for (const box of placed.bars) box.y = top + PADDING + box.row * (ROW + GAP);
      top += height;
      return placed;
    });
}

// Round times at which the axis has a mark, about `space` apart and never within a skipped gap.
export function marks({ x, skipped, perSecond }, end, space = 110) {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800];
  const step = steps.find((one) => one * perSecond >= space) ?? steps.at(-1);
  const found = [];
  for (let time = 0; time <= end && found.length < 2000; time += step) {
    const gap = skipped.find((one) => time > one.from && time < one.to);
    if (gap) time = Math.floor(gap.to / step) * step;
    else if (!found.length || x(time) - x(found.at(-1)) >= space * 0.8) found.push(time);
  }
  return found;
}
