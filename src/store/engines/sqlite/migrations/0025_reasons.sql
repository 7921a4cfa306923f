-- Why requests of all accounts were refused is summed in the order of the index: nothing is sorted, and no table of groups is built.
CREATE INDEX refusal_sums_by_reason ON refusal_sums (span_s, account_id, code, start_s, refusals);
