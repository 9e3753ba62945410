-- Procedures for a goal: by words and by meaning, one row for each version, fused by reciprocal rank.
-- Parameters: query, vector, embedder, breadth (perspectives looked at), k.
WITH live AS (
    SELECT v.id,
           (SELECT (count(*) FILTER (WHERE u.outcome = 'achieved') + 1.0)
                   / (count(*) FILTER (WHERE u.outcome IN ('achieved', 'failed')) + 2.0)
              FROM sops_sopuse u WHERE u.version_id = v.id) AS record
      FROM sops_sopversion v JOIN sops_sop s ON s.id = v.sop_id
     WHERE v.is_current AND s.status = 'active'
),
lexemes AS (
    SELECT lexeme, ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS wanted
      FROM unnest(tsvector_to_array(to_tsvector('english', %(query)s))) AS lexeme
),
-- How well each word of the goal is met by each version; a step or a tool says less about the purpose.
met AS (
    SELECT l.lexeme, p.version_id,
           max(CASE p.kind WHEN 'intent' THEN 1.0 WHEN 'outcomes' THEN 0.8 WHEN 'step' THEN 0.5 ELSE 0.4 END) AS share
      FROM lexemes l
      JOIN sops_perspective p ON p.words @@ l.wanted
      JOIN live ON live.id = p.version_id
     GROUP BY l.lexeme, p.version_id
),
-- A word that few versions use says more than one that all use; one that none uses says that the goal is another.
information AS (
    SELECT l.lexeme, ln(1 + (SELECT count(*) FROM live) / greatest(count(met.version_id), 1.0)) AS value
      FROM lexemes l LEFT JOIN met ON met.lexeme = l.lexeme
     GROUP BY l.lexeme
),
by_words AS (
    SELECT version_id, coverage, row_number() OVER (ORDER BY coverage DESC, version_id) AS rank
      FROM (SELECT met.version_id,
                   sum(met.share * i.value) / (SELECT sum(value) FROM information) AS coverage
              FROM met JOIN information i ON i.lexeme = met.lexeme
             GROUP BY met.version_id) AS weighed
),
-- The order by distance alone is what the HNSW index serves; what is not live is left out afterwards.
nearest AS MATERIALIZED (
    SELECT p.version_id, p.kind, p.text, p.embedding <=> %(vector)s::vector AS distance
      FROM sops_perspective p
     WHERE p.embedder = %(embedder)s
     ORDER BY p.embedding <=> %(vector)s::vector
     LIMIT %(breadth)s
),
-- The index is approximate: what the words found is measured exactly, so that it cannot be overlooked.
measured AS (
    SELECT p.version_id, p.kind, p.text, p.embedding <=> %(vector)s::vector AS distance
      FROM by_words w JOIN sops_perspective p ON p.version_id = w.version_id
     WHERE w.rank <= 50 AND p.embedder = %(embedder)s AND %(breadth)s > 0
),
near AS (
    SELECT found.version_id, text, (1 - distance) * CASE kind WHEN 'intent' THEN 1.0 ELSE 0.8 END AS similarity
      FROM (SELECT * FROM nearest UNION ALL SELECT * FROM measured) AS found
      JOIN live ON live.id = found.version_id
),
by_meaning AS (
    SELECT version_id, similarity, text, row_number() OVER (ORDER BY similarity DESC, version_id) AS rank
      FROM (SELECT DISTINCT ON (version_id) version_id, similarity, text
              FROM near ORDER BY version_id, similarity DESC) AS best
)
SELECT live.id,
       (coalesce(1.0 / (60 + m.rank), 0) + coalesce(1.0 / (60 + w.rank), 0)) * (0.9 + 0.2 * live.record) AS score,
       m.rank, w.rank, coalesce(m.similarity, 0), coalesce(w.coverage, 0), coalesce(m.text, '')
  FROM live
  LEFT JOIN by_words w ON w.version_id = live.id
  LEFT JOIN by_meaning m ON m.version_id = live.id
 WHERE w.rank IS NOT NULL OR m.rank IS NOT NULL
 ORDER BY score DESC, w.coverage DESC NULLS LAST, live.id
 LIMIT %(k)s
