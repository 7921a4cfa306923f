-- A request id tells its time, and the sums tell where the calls of a time lie: no call pays for an index of its id.
DROP INDEX calls_by_request;
