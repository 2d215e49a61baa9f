"""Runs the test methods of the calling script several at a time: for tests that mostly wait for processes of their own."""
import concurrent.futures
import sys
import unittest


def leaves(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from leaves(test)
        else:
            yield test


def main(at_once=4):
    """Ends the process: status 0 when the methods of `__main__` passed or were skipped with their reasons, 77 when none was
    tried."""
    tests = list(leaves(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])))
    results = []

    def run(test):
        result = unittest.TestResult()
        test.run(result)
        return test, result

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for test, result in pool.map(run, tests):
            results.append(result)
            wrong = result.errors + result.failures
            print(f"{'FAILED' if wrong or result.unexpectedSuccesses else 'skipped' if result.skipped else 'ok'}: {test.id()}"
                  + "".join(f" ({reason})" for _, reason in result.skipped), flush=True)
            for _, text in wrong:
                print(text, flush=True)
    good = bool(results) and all(result.wasSuccessful() for result in results)
    print(f"{len(results)} tests, {sum(not result.wasSuccessful() for result in results)} failed")
    sys.exit(1 if not good else 77 if all(result.skipped for result in results) else 0)
