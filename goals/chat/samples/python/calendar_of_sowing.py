"""What may be sown in which month."""

SEASONS = {
    "radish": range(3, 10),
    "lettuce": range(3, 9),
    "spinach": range(2, 10),
    "tomato": range(3, 5),
}


def sowable(month):
    """Return the names of what may be sown in a month, in the order of the alphabet."""
    return sorted(name for name, months in SEASONS.items() if month in months)


def next_month(month):
    return month % 12 + 1
