// The README of an export, for the account holder.

export const EXPORT_README = `This archive has everything that a Tollgate gateway stores about one account.

Each .jsonl file is a table, and each of its lines is a row, as JSON. Fields that
end with _nanos are amounts in billionths of a US dollar, fields with _ms are
milliseconds, and fields with _at_ms are milliseconds since 1970 (UTC).

  accounts          the account and its balance
  account_details   its display name, email and note
  closed_accounts   when it was closed
  erased_accounts   when it was erased
  keys              its API keys, without the keys themselves
  entries           its balance entries, with their notes
  holds             money held for its calls
  calls             its calls: model, usage, cost, price, and their traces
  refusals          its refused requests of the last 30 days, up to 50 an hour
  generations       images made for it, with their prompts
  files             images that it uploaded
  responses         kept responses that it can continue
  idempotency_keys  answers kept for repeated requests
  sessions          sign-ins to the console
  alerts            what the operator was alerted of about the account, in the last 30 days
  alert_sendings    when that was sent to the operator's webhook
  known_addresses   networks of sign-ins to the console in the last 90 days
  actions           what was done in or to the account: keys, limits, balance, sign-ins

The images are in images/, uploads in files/, and long responses and answers in
responses/ and answers/. A body is text, or {"base64": ...} if it is not text.

manifest.json lists every file with its size and SHA-256, and files that could
not be found. Left out: secrets (keys, passwords, tokens of sessions and links),
and sums of calls and refusals.
`
