"""For tests of what a program does when its time is over. The time that it is given has to be short, for the test waits
for it; a machine that is busy then needs more than that for what must work before. Such a run says nothing: it is done
again with more time. What the program answers is never a reason to try again; that it did not get so far is."""


class TooBusy(Exception):
    """What was to be seen did not come within the time that the program was given."""


def with_more_time(attempt):
    """What `attempt` returns, which takes the factor for its times and raises TooBusy."""
    for factor in (1, 4):
        try:
            return attempt(factor)
        except TooBusy:
            pass
    return attempt(16)
