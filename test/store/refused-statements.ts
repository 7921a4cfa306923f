// Statements that the tables refuse, whatever the code above them does; and the rows that they are about.

const TOO_MUCH = '9007199254740992'

const KEY = 'id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms'

const CALL = `'r', 1, 1, 's', 'm', 'p', 'u', 'completed', 200, 0, 0,
  1, 0, 0, 0, 0, 1, 0, 0, 0, 20, 10, 0, '', 0, NULL, 1, 0, 0, '', 7, 1, '', 8, 9, 0, NULL, 0, NULL`

const ORDER = `INSERT INTO orders (id, account_id, person_id, kind, provider, reference, currency, amount_minor, rate_nanos, credit_nanos,
    bonus_nanos, state, created_at_ms, changed_at_ms, expires_at_ms, is_live, request_key)`

/** One account with 100, a key, a call, an expired hold, and the entries of both. */
export const FILLING = `
  INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'a', 'active', 100, 0, 0, 0);
  INSERT INTO keys (${KEY}) VALUES (1, 1, 'k', 'tg_', zeroblob(32), 10, 0, 0);
  INSERT INTO budgets (account_id, key_id, period, limit_nanos) VALUES (1, 1, 'week', 1);
  INSERT INTO holds VALUES (2, 1, 1, 'r', 20, 'expired', 0, 0, NULL, 0, NULL);
  INSERT INTO prices VALUES (1, zeroblob(32), '{}');
  INSERT INTO calls VALUES (1, ${CALL});
  INSERT INTO entries VALUES (1, 1, 'top_up', 110, NULL, '', 0, NULL);
  INSERT INTO entries VALUES (2, 1, 'charge', -10, 1, '', 0, NULL);
  INSERT INTO opening_debts VALUES (1, 1, 5, 'owed', 0, 'user 1');
  INSERT INTO state_changes VALUES (1, 'orders', 1, 1, 'open', 'paid', 'webhook', '{"event":"evt_1"}', 0);
  ${ORDER} VALUES (1, 1, 2, 'top_up', 'stripe', 'cs_1', 'EUR', 2500, 1, 1, 0, 'paid', 0, 0, 9, 1, 'k1'),
    (2, 1, NULL, 'automatic', 'stripe', NULL, 'EUR', 2500, 1, 1, 0, 'open', 0, 0, 9, 1, 'k2');
  INSERT INTO order_refunds VALUES (1, 1, 1, 500, 1, 0, 'sent back', 'begun', NULL, 0, 0, NULL);
  INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (71, 'friend', 'active', 0, 0, 0, 0);
  INSERT INTO referral_links VALUES (1, 1, 'abc', 0);
  INSERT INTO referrals VALUES (1, 71, 1, 0);
  INSERT INTO voucher_batches VALUES (1, 'fair', 1, 0);
  INSERT INTO vouchers VALUES (1, 1, 1, zeroblob(32), '8FQ2', 5, 'redeemed', 0, NULL), (2, 1, NULL, randomblob(32), '8FQ3', 5, 'new', 0, 9);
  INSERT INTO payment_customers VALUES (1, 1, 'stripe', 1, 'cus_1', NULL, 'pm_1', 'visa', '4242', '2030-01', 2, 5, 0),
    (2, 1, 'stripe', 0, 'cus_2', 'cs_3', NULL, NULL, NULL, NULL, NULL, NULL, 0);
  INSERT INTO automatic_top_ups VALUES (1, 1, 1, 5, 'stripe', 'EUR', 1000, 2000, 2, 0, NULL, NULL, 0, 0);
  INSERT INTO responses VALUES (1, 1, 'r1', NULL, 1, 0, zeroblob(5), NULL, 5, 5, 1, 0);
  INSERT INTO responses VALUES (2, 1, 'r2', 1, 0, 0, NULL, 'f', 7, 12, 2, 0);
  INSERT INTO closed_accounts VALUES (1, 0);
  INSERT INTO account_suspensions VALUES (1, 71, 'operator', '', 0);
  INSERT INTO people VALUES (1, NULL, 'operator', NULL, NULL, NULL, 0), (2, 1, 'owner', 'a@example.com', 5, NULL, 0);
  INSERT INTO memberships VALUES (1, 2, 1, 'owner', 0);
  INSERT INTO invitations VALUES (1, 1, 'b@example.com', 'member', zeroblob(32), 1, 2, 0, 9);
  INSERT INTO staff VALUES (1, 1, 'operator', 0);
  INSERT INTO passwords VALUES (1, '$argon2id$x', 0, 1), (2, '$argon2id$y', 0, 2);
  INSERT INTO identities VALUES (1, 2, 'https://id.example', 'a', 'id', 'a@b', 5, 5), (2, 2, 'https://id.example', 'b', 'id', NULL, 5, 6);
  INSERT INTO spent_tokens VALUES (1, zeroblob(32), 9), (2, randomblob(32), 9);
  INSERT INTO sessions VALUES (1, zeroblob(32), 'operator', NULL, NULL, NULL, '', 0, 0, 9, 1, 'password', 0, NULL, NULL);
  INSERT INTO sessions VALUES (2, randomblob(32), 'account', 1, NULL, '::1', 'x', 0, 5, 9, 2, 'identity', NULL, 1, 's1');
  INSERT INTO sessions VALUES (3, randomblob(32), 'key', 1, 1, NULL, 'x', 0, 0, 9, NULL, 'key', NULL, NULL, NULL);
  INSERT INTO sign_in_links VALUES (1, zeroblob(32), 0, 9, 1, 'password', NULL), (2, randomblob(32), 0, 9, 2, 'email', 'b@example.com');
  INSERT INTO passkeys VALUES (1, 1, zeroblob(16), zeroblob(77), 0, '[]', 'laptop', 0, NULL), (2, 2, randomblob(16), zeroblob(77), 5, '[]', 'phone', 0, 9);
  INSERT INTO passkey_challenges VALUES (1, zeroblob(32), 'c', 'sign_in', NULL, 9), (2, randomblob(32), 'd', 'add', 2, 9);
  INSERT INTO known_addresses VALUES (1, '203.0.113.7', 0, 1), (2, '203.0.113.7', 0, 2);
  INSERT INTO gateways (id, version, started_at_ms, ended_at_ms) VALUES (1, '1.0.0', 5, NULL);
  INSERT INTO bucket_marks VALUES (1, 'a');
  INSERT INTO audit_marks VALUES (1, '{}', zeroblob(32));
  INSERT INTO route_sums VALUES (300, 600, 'm', 'p', 'u', 'answered', 2, 1, 90);
  INSERT INTO health_states VALUES ('["key","a#1","m"]', '{}', 1, 5);
  INSERT INTO model_days VALUES (86400, 'm', 1, 0);
  INSERT INTO incidents VALUES (1, 'Slow', '[]', 'investigating', 5, NULL);
  INSERT INTO incident_updates VALUES (1, 1, 'investigating', 'We look into it.', 5);
  INSERT INTO alerts VALUES (1, 'disk', '', NULL, 'full', 5, 6, 7), (2, 'disk', '', NULL, 'full', 5, NULL, NULL);
  INSERT INTO alert_sendings VALUES (1, 1, NULL, 'raised', 'm1', 5, 1, NULL, 6, 200, NULL);
  INSERT INTO mails VALUES (1, 1, 'k1', 'test', '{}', 'a@b', 'en', '/x#t', 9, 'm1', 'queued', 0, 5, 6, NULL, NULL);
  INSERT INTO mails VALUES (2, NULL, 'k2', 'test', '{}', 'a@b', 'en', NULL, NULL, 'm2', 'sent', 1, 5, NULL, 6, NULL);
  INSERT INTO mail_recipients VALUES (1, 1, 'a@b', 't1', NULL);
  INSERT INTO sign_up_codes VALUES (1, zeroblob(32), 'a@b', 2, 1, 5, 9, NULL);
  INSERT INTO sign_ups VALUES (1, 1, 'a@b', 'mail', NULL, '203.0.113.7', 1, 1, 5, 9, 6);
  INSERT INTO sign_ups VALUES (2, NULL, 'c@d', 'mail', zeroblob(32), NULL, NULL, 1, 5, 9, NULL);
  INSERT INTO sign_up_counts VALUES (1, 'network', '203.0.113.7', 9, 1);
  INSERT INTO sign_up_keys VALUES (1, zeroblob(32), 5);
  INSERT INTO terms_acceptances VALUES (1, 1, 2, 'https://example.com/terms', '', 6);
  INSERT INTO plan_periods VALUES (1, 1, 'active', 'pro', 'Pro', 20, 10, '["*"]', '{"day":5}', NULL, 0, NULL, 0, 1, 0, 9, 9, 1, NULL, 0, 0, 'stripe', 'EUR', 0);
  INSERT INTO plan_periods VALUES (2, 1, 'open', 'max', 'Max', 30, 30, '["*"]', '{"day":5}', 2, 1, 1, 0, 1, 0, 9, 12, 1, 'pro', 0, 0, NULL, NULL, 0);
  INSERT INTO imported_rows VALUES (1, 'new-api', 'account', 'user 1', 1, NULL, 'x -', '{}', 0);
  INSERT INTO imported_usage VALUES (1, 'new-api', 1, 86400, 'm', 1, 1, 1, 1)`

const ACCOUNTS = [
  ['a negative balance', 'UPDATE accounts SET balance_nanos = -1'],
  ['a balance above the safe integers', `UPDATE accounts SET balance_nanos = ${TOO_MUCH}`],
  ['half a nano-dollar', 'UPDATE accounts SET balance_nanos = 1.5'],
  ['a text as an amount', "UPDATE accounts SET balance_nanos = 'much'"],
  ['more on hold than the balance', 'UPDATE accounts SET held_nanos = 101'],
  ['a negative hold', 'UPDATE accounts SET held_nanos = -1'],
  ['a negative debt', 'UPDATE accounts SET debt_nanos = -1'],
  ['a debt above the safe integers', `UPDATE accounts SET debt_nanos = ${TOO_MUCH}`],
  ['an unknown status', "UPDATE accounts SET status = 'closed'"],
  ['an empty name', "UPDATE accounts SET name = ''"],
  ['an empty price group', "UPDATE accounts SET price_group = ''"],
  ['a price group of 65 characters', `UPDATE accounts SET price_group = '${'x'.repeat(65)}'`],
  ['a name of 65 characters', `UPDATE accounts SET name = '${'x'.repeat(65)}'`],
  [
    'a name twice',
    "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (2, 'a', 'active', 0, 0, 0, 0)",
  ],
] as const

const REFUSED = "INSERT INTO refusals SELECT 1, 1, 1, 'r', 0, 's', 'm', 400, 'c', 'words'"
const REFUSALS = [
  ['of an unknown account', REFUSED.replace('1, 1, 1', '1, 9, 1')],
  ['of an unknown key', REFUSED.replace('1, 1, 1', '1, 1, 9')],
  ['without a request', REFUSED.replace("'r'", "''")],
  ['with the status of a success', REFUSED.replace('400', '200')],
  ['without a code', REFUSED.replace("'c'", "''")],
  ['of a model without a name', REFUSED.replace("'m'", "''")],
  ['a sum of 0 refusals', "INSERT INTO refusal_sums VALUES (3600, 1, 0, 1, 'c', 0)"],
  ['a sum of a day', "INSERT INTO refusal_sums VALUES (86400, 1, 0, 1, 'c', 1)"],
] as const

const KEYS = [
  ['a key of an unknown account', 'UPDATE keys SET account_id = 9'],
  ['a hash of another length', 'UPDATE keys SET sha256 = zeroblob(31)'],
  ['a hash twice', `INSERT INTO keys (${KEY}) SELECT 2, 1, 'k', 'tg_', sha256, 0, 0, 0 FROM keys`],
  ['models that are not JSON', "UPDATE keys SET models = 'all'"],
  ['addresses that are not JSON', "UPDATE keys SET addresses = '10.0.0.0/8'"],
  ['a negative spend limit', 'UPDATE keys SET spend_limit_nanos = -1'],
  ['0 concurrent calls', 'UPDATE keys SET concurrent_calls = 0'],
  ['a key of an unknown person', 'UPDATE keys SET person_id = 9'],
  ['half a concurrent call', 'UPDATE keys SET concurrent_calls = 1.5'],
  ['negative spending', 'UPDATE keys SET spent_nanos = -1'],
  ['a negative hold', 'UPDATE keys SET held_nanos = -1'],
] as const

const BUDGET = 'INSERT INTO budgets (account_id, key_id, period, limit_nanos)'
const OF_PERSON = 'INSERT INTO budgets (account_id, person_id, key_id, period, limit_nanos)'
const OF_PLAN = 'INSERT INTO budgets (account_id, key_id, plan_period_id, period, limit_nanos)'
const BUDGETS = [
  ['a budget of an unknown account', `${BUDGET} VALUES (9, NULL, 'day', 1)`],
  ['a budget of an unknown key', `${BUDGET} VALUES (1, 9, 'day', 1)`],
  ['a budget of an unknown period', `${BUDGET} VALUES (1, NULL, 'year', 1)`],
  ['a negative budget', `${BUDGET} VALUES (1, NULL, 'day', -1)`],
  ['a budget above the safe integers', `${BUDGET} VALUES (1, NULL, 'day', ${TOO_MUCH})`],
  ['a budget of an account twice', `${BUDGET} VALUES (1, NULL, 'day', 1), (1, NULL, 'day', 2)`],
  ['a budget of a person twice', `${OF_PERSON} VALUES (1, 2, NULL, 'day', 1), (1, 2, NULL, 'day', 2)`],
  ['a budget of a person and a key', `${OF_PERSON} VALUES (1, 2, 1, 'day', 1)`],
  ['a budget of a plan and a key', `${OF_PLAN} VALUES (1, 1, 1, 'day', 1)`],
  ['a budget of an unknown plan', `${OF_PLAN} VALUES (1, NULL, 9, 'day', 1)`],
  ['a budget of a plan twice', `${OF_PLAN} VALUES (1, NULL, 1, 'day', 1), (1, NULL, 1, 'day', 2)`],
  ['a budget of a key twice', `${BUDGET} VALUES (1, 1, '5h', 1), (1, 1, '5h', 2)`],
] as const

const PLAN_PERIODS = [
  ['an unknown account', 'UPDATE plan_periods SET account_id = 9 WHERE id = 1'],
  ['an unknown state', "UPDATE plan_periods SET state = 'gone' WHERE id = 1"],
  ['two active months', "UPDATE plan_periods SET state = 'active'"],
  ['two unpaid months', "UPDATE plan_periods SET state = 'open'"],
  ['no name', "UPDATE plan_periods SET plan = ''"],
  ['a negative price', 'UPDATE plan_periods SET price_nanos = -1'],
  ['a price above the safe integers', `UPDATE plan_periods SET price_nanos = ${TOO_MUCH}`],
  ['more due than the price', 'UPDATE plan_periods SET due_nanos = 31'],
  ['a negative amount due', 'UPDATE plan_periods SET due_nanos = -1'],
  ['models that are not JSON', "UPDATE plan_periods SET models = 'all'"],
  ['limits that are not JSON', "UPDATE plan_periods SET limits = 'none'"],
  ['0 concurrent calls', 'UPDATE plan_periods SET concurrent_calls = 0'],
  ['an overflow that is neither 0 nor 1', 'UPDATE plan_periods SET overflow = 2'],
  ['a renewal that is neither 0 nor 1', 'UPDATE plan_periods SET renews = 2'],
  ['an unknown period before it', 'UPDATE plan_periods SET follows_id = 9 WHERE id = 1'],
  ['no month', 'UPDATE plan_periods SET month_number = 0'],
  ['an end before the beginning', 'UPDATE plan_periods SET ends_ms = starts_ms'],
  ['less covered than paid', 'UPDATE plan_periods SET covers_until_ms = ends_ms - 1'],
  ['an empty plan to come', "UPDATE plan_periods SET next_plan = ''"],
  ['more returned than was paid', 'UPDATE plan_periods SET returned_nanos = due_nanos + 1'],
  ['a negative return', 'UPDATE plan_periods SET returned_nanos = -1'],
  ['a card with an empty payment method', "UPDATE plan_periods SET card_method = ''"],
  ['a card in a currency of other than three letters', "UPDATE plan_periods SET card_currency = 'EURO'"],
] as const

const HOLDS = [
  ['an unknown state', "UPDATE holds SET state = 'lost'"],
  ['a negative amount', 'UPDATE holds SET amount_nanos = -1'],
  ['an amount above the safe integers', `UPDATE holds SET amount_nanos = ${TOO_MUCH}`],
  ['a hold of an unknown key', 'UPDATE holds SET key_id = 9'],
  ['a hold of an unknown account', 'UPDATE holds SET account_id = 9'],
  ['a hold that was settled', "UPDATE holds SET state = 'posted'"],
  ['money held for a covered call', 'UPDATE holds SET plan_period_id = 1'],
  ['a covered hold without a plan', 'UPDATE holds SET amount_nanos = 0, covered_nanos = 1'],
  ['a negative covered hold', 'UPDATE holds SET amount_nanos = 0, plan_period_id = 1, covered_nanos = -1'],
  ['a hold beside its call', "INSERT INTO holds VALUES (1, 1, 1, 'r', 20, 'pending', 0, 0, NULL, 0, NULL)"],
] as const

const ENTRIES = [
  ['a changed entry', 'UPDATE entries SET amount_nanos = 111 WHERE id = 1'],
  ['a changed note', "UPDATE entries SET note = 'other'"],
  ['a deleted entry', 'DELETE FROM entries WHERE id = 1'],
  ['all entries deleted', 'DELETE FROM entries'],
  ['an entry replaced', "INSERT OR REPLACE INTO entries VALUES (1, 1, 'top_up', 111, NULL, '', 0, NULL)"],
  ['an empty key of a request', "INSERT INTO entries VALUES (3, 1, 'top_up', 1, NULL, '', 0, '')"],
  [
    'a key of a request twice',
    "INSERT INTO entries VALUES (3, 1, 'top_up', 1, NULL, '', 0, 'a'), (4, 1, 'top_up', 1, NULL, '', 0, 'a')",
  ],
  ['a negative top-up', "INSERT INTO entries VALUES (3, 1, 'top_up', -1, NULL, '', 0, NULL)"],
  ['a positive charge', "INSERT INTO entries VALUES (3, 1, 'charge', 1, 1, '', 0, NULL)"],
  ['a positive withdrawal', "INSERT INTO entries VALUES (3, 1, 'withdrawal', 1, NULL, '', 0, NULL)"],
  ['a positive debt payment', "INSERT INTO entries VALUES (3, 1, 'debt_payment', 1, NULL, '', 0, NULL)"],
  ['a charge without a call', "INSERT INTO entries VALUES (3, 1, 'charge', -1, NULL, '', 0, NULL)"],
  ['a negative refund', "INSERT INTO entries VALUES (3, 1, 'refund', -1, 1, '', 0, NULL)"],
  ['a refund without a call', "INSERT INTO entries VALUES (3, 1, 'refund', 1, NULL, '', 0, NULL)"],
  ['a top-up with a call', "INSERT INTO entries VALUES (3, 1, 'top_up', 1, 1, '', 0, NULL)"],
  ['an unknown kind', "INSERT INTO entries VALUES (3, 1, 'gift', 1, NULL, '', 0, NULL)"],
  [
    'an amount above the safe integers',
    `INSERT INTO entries VALUES (3, 1, 'top_up', ${TOO_MUCH}, NULL, '', 0, NULL)`,
  ],
] as const

const OPENING_DEBTS = [
  ['a changed debt', 'UPDATE opening_debts SET amount_nanos = 6'],
  ['a changed note', "UPDATE opening_debts SET note = 'paid'"],
  ['a debt without its reference', "UPDATE opening_debts SET note = '', request_key = NULL"],
  ['a deleted debt', 'DELETE FROM opening_debts'],
  ['a debt replaced', "INSERT OR REPLACE INTO opening_debts VALUES (1, 1, 6, '', 0, 'user 2')"],
  ['a reference twice', "INSERT INTO opening_debts VALUES (2, 1, 5, '', 0, 'user 1')"],
  ['an empty reference', "INSERT INTO opening_debts VALUES (2, 1, 5, '', 0, '')"],
  ['a debt of 0', "INSERT INTO opening_debts VALUES (2, 1, 0, '', 0, 'a')"],
  ['a debt above the safe integers', `INSERT INTO opening_debts VALUES (2, 1, ${TOO_MUCH}, '', 0, 'a')`],
  ['a debt of an unknown account', "INSERT INTO opening_debts VALUES (2, 9, 5, '', 0, 'a')"],
] as const

const CALLS = [
  ['a call twice', 'INSERT INTO calls SELECT * FROM calls'],
  ['a charge for a covered call', 'UPDATE calls SET plan_period_id = 1'],
  ['a covered call without a plan', 'UPDATE calls SET covered_nanos = 1'],
  ['more unpaid than the cost', 'UPDATE calls SET unpaid_nanos = 11'],
  ['more refunded than the cost', 'UPDATE calls SET refunded_nanos = 11'],
  ['a negative refund of a call', 'UPDATE calls SET refunded_nanos = -1'],
  ['a negative cost', 'UPDATE calls SET cost_nanos = -1'],
  ['a negative cost of the provider', 'UPDATE calls SET provider_cost_nanos = -1'],
  ["a provider's cost above the safe integers", `UPDATE calls SET provider_cost_nanos = ${TOO_MUCH}`],
  ['a negative cost that a provider reports', 'UPDATE calls SET reported_cost_nanos = -1'],
  ['costs of other routes that are not JSON', "UPDATE calls SET costs_elsewhere = 'p'"],
  ['half a nano-dollar by the cost of a route', 'UPDATE calls SET computed_cost_nanos = 0.5'],
  ["half a nano-dollar of a provider's cost", 'UPDATE calls SET provider_cost_nanos = 0.5'],
  ['a negative count', 'UPDATE calls SET output_tokens = -1'],
  ['a count above the safe integers', `UPDATE calls SET input_tokens = ${TOO_MUCH}`],
  ['half a token', 'UPDATE calls SET thinking_tokens = 0.5'],
  ['an infinite count', 'UPDATE calls SET images = 9e999'],
  ['an unknown outcome', "UPDATE calls SET outcome = 'fine'"],
  ['a flag that is neither 0 nor 1', 'UPDATE calls SET streamed = 2'],
  ['a mark of the sums that is neither 0 nor 1', 'UPDATE calls SET summed = 2'],
  ['a negative number of failed tries', 'UPDATE calls SET failed_tries = -1'],
  ['an unknown price', 'UPDATE calls SET price_id = 9'],
  ['a price beside the one that it names', "UPDATE calls SET price = '{}'"],
  ['counts without a price', "UPDATE calls SET price_id = NULL, counted = '{}'"],
  ['a changed price', "UPDATE prices SET json = '[]'"],
  ['a deleted price', 'DELETE FROM prices'],
  ['a price replaced', "INSERT OR REPLACE INTO prices VALUES (1, zeroblob(32), '[]')"],
  ['a price twice', "INSERT INTO prices VALUES (2, zeroblob(32), '[]')"],
  ['a price that is not JSON', "INSERT INTO prices VALUES (2, randomblob(32), 'cheap')"],
  ['a hash of a price of another length', "INSERT INTO prices VALUES (2, randomblob(31), '{}')"],
  ['an unknown rewrite', "INSERT INTO call_rewrites VALUES (3, 'models', 0, NULL)"],
  ['a trace beyond its bound', `UPDATE calls SET trace = '${'x'.repeat(2_049)}'`],
] as const

const RESPONSES = [
  ['a response of an unknown account', 'UPDATE responses SET account_id = 9'],
  ['an id twice in one account', "UPDATE responses SET response_id = 'r1'"],
  ['an empty id', "UPDATE responses SET response_id = '' WHERE id = 1"],
  ['a response that continues itself', 'UPDATE responses SET previous = 2 WHERE id = 2'],
  ['a response that continues an unknown one', 'UPDATE responses SET previous = -1 WHERE id = 2'],
  ['the deletion of a response that another continues', 'DELETE FROM responses WHERE id = 1'],
  ['a deleted response that none continues', 'UPDATE responses SET deleted = 1 WHERE id = 2'],
  ['a negative count of later responses', 'UPDATE responses SET later = -1'],
  ['content in the row and in a file', "UPDATE responses SET body_file = 'g' WHERE id = 1"],
  ['content nowhere', 'UPDATE responses SET body = NULL WHERE id = 1'],
  ['one file for two', "UPDATE responses SET body = NULL, body_file = 'f' WHERE id = 1"],
  ['no bytes', 'UPDATE responses SET kept_bytes = 0 WHERE id = 1'],
  ['a conversation smaller than its last response', 'UPDATE responses SET chain_bytes = 6 WHERE id = 2'],
  ['a first response with a length of two', 'UPDATE responses SET chain_length = 2 WHERE id = 1'],
] as const

const CLOSED_ACCOUNTS = [
  ['an account twice', 'INSERT INTO closed_accounts VALUES (1, 1)'],
  ['an unknown account', 'UPDATE closed_accounts SET account_id = 9'],
] as const

const ACCOUNT_SUSPENSIONS = [
  ['an account twice', "INSERT INTO account_suspensions VALUES (2, 71, 'operator', '', 0)"],
  ['an unknown account', 'UPDATE account_suspensions SET account_id = 9'],
  ['an unknown reason', "UPDATE account_suspensions SET reason = 'moon'"],
  ['no reason', 'UPDATE account_suspensions SET reason = NULL'],
] as const

const PASSWORDS = [
  ['a second password of a person', "INSERT INTO passwords VALUES (3, '$argon2id$z', 0, 1)"],
  ['a password without a person', 'UPDATE passwords SET person_id = NULL WHERE id = 2'],
  ['an unknown person', 'UPDATE passwords SET person_id = 9 WHERE id = 2'],
  ['a password as it was typed', "UPDATE passwords SET hash = 'secret'"],
  ['a hash of another kind', "UPDATE passwords SET hash = '$1$salt$x'"],
] as const

const SESSIONS = [
  ['a hash of another length', 'UPDATE sessions SET sha256 = zeroblob(31)'],
  ['a hash twice', 'UPDATE sessions SET sha256 = zeroblob(32) WHERE id = 2'],
  ['an unknown role', "UPDATE sessions SET role = 'root'"],
  ['an operator with an account', 'UPDATE sessions SET account_id = 1 WHERE id = 1'],
  ['an account without one', 'UPDATE sessions SET account_id = NULL WHERE id = 2'],
  ['an account that becomes the operator', "UPDATE sessions SET role = 'operator' WHERE id = 2"],
  ['a key that becomes its account', "UPDATE sessions SET role = 'account' WHERE id = 3"],
  ['a key without one', 'UPDATE sessions SET key_id = NULL WHERE id = 3'],
  ['a key with a person', 'UPDATE sessions SET person_id = 2 WHERE id = 3'],
  ['an account session without a person', 'UPDATE sessions SET person_id = NULL WHERE id = 2'],
  ['an unknown person', 'UPDATE sessions SET person_id = 9 WHERE id = 2'],
  ['an unknown account', 'UPDATE sessions SET account_id = 9 WHERE id = 2'],
  ['an unknown key', 'UPDATE sessions SET key_id = 9 WHERE id = 3'],
  ['an unknown proof', "UPDATE sessions SET proof = 'x' WHERE id = 1"],
  ['a session seen before it was opened', 'UPDATE sessions SET last_seen_at_ms = -1 WHERE id = 2'],
  ['an unknown identity', 'UPDATE sessions SET identity_id = 9 WHERE id = 2'],
  ['a session at a provider without a name', "UPDATE sessions SET provider_session = '' WHERE id = 2"],
] as const

const IDENTITIES = [
  [
    'an issuer and a subject twice',
    "INSERT INTO identities VALUES (3, 1, 'https://id.example', 'a', 'id', NULL, 5, 5)",
  ],
  ['the subject of another identity', "UPDATE identities SET subject = 'a' WHERE id = 2"],
  ['an unknown person', 'UPDATE identities SET person_id = 9 WHERE id = 2'],
  ['an identity without a person', 'UPDATE identities SET person_id = NULL WHERE id = 2'],
  ['no issuer', "UPDATE identities SET issuer = '' WHERE id = 2"],
  ['no subject', "UPDATE identities SET subject = '' WHERE id = 2"],
  ['a subject that is too long', `UPDATE identities SET subject = '${'x'.repeat(256)}' WHERE id = 2`],
  ['no provider', "UPDATE identities SET provider = '' WHERE id = 2"],
  ['an empty address', "UPDATE identities SET email = '' WHERE id = 2"],
  ['an identity used before it was made', 'UPDATE identities SET last_used_at_ms = 4 WHERE id = 2'],
] as const

const SPENT_TOKENS = [
  ['a token twice', 'UPDATE spent_tokens SET sha256 = zeroblob(32) WHERE id = 2'],
  ['a hash of another length', 'UPDATE spent_tokens SET sha256 = zeroblob(31) WHERE id = 2'],
  ['a token that never expires', 'UPDATE spent_tokens SET expires_at_ms = NULL WHERE id = 2'],
] as const

const PASSKEYS = [
  ['an id twice', 'UPDATE passkeys SET credential_id = zeroblob(16) WHERE id = 2'],
  ['an empty id', 'UPDATE passkeys SET credential_id = zeroblob(0) WHERE id = 1'],
  ['an id longer than devices have', 'UPDATE passkeys SET credential_id = zeroblob(1024) WHERE id = 2'],
  ['no key', 'UPDATE passkeys SET public_key = zeroblob(0)'],
  ['a negative counter', 'UPDATE passkeys SET counter = -1'],
  ['no name', "UPDATE passkeys SET name = ''"],
  ['an unknown person', 'UPDATE passkeys SET person_id = 9 WHERE id = 2'],
] as const

const PASSKEY_CHALLENGES = [
  ['a hash of another length', 'UPDATE passkey_challenges SET sha256 = zeroblob(31)'],
  ['a hash twice', 'UPDATE passkey_challenges SET sha256 = zeroblob(32) WHERE id = 2'],
  ['no challenge', "UPDATE passkey_challenges SET challenge = ''"],
  ['an unknown purpose', "UPDATE passkey_challenges SET purpose = 'x' WHERE id = 2"],
  ['a session for a sign-in', 'UPDATE passkey_challenges SET session_id = 2 WHERE id = 1'],
  ['no session for an added passkey', 'UPDATE passkey_challenges SET session_id = NULL WHERE id = 2'],
] as const

const KNOWN_ADDRESSES = [
  ['a place of a person twice', "INSERT INTO known_addresses VALUES (3, '203.0.113.7', 1, 1)"],
  ['no place', "UPDATE known_addresses SET place = ''"],
  ['an unknown person', 'UPDATE known_addresses SET person_id = 9 WHERE id = 2'],
] as const

const PEOPLE = [
  ['no name', "UPDATE people SET name = ''"],
  ['an address twice', "UPDATE people SET email = 'a@example.com'"],
  ['an invalid address', "UPDATE people SET email = 'a'"],
  ['a verification without an address', 'UPDATE people SET email = NULL WHERE id = 2'],
  ['an unknown account', 'UPDATE people SET account_id = 9'],
] as const

const MEMBERSHIPS = [
  ['a second membership in the same account', "INSERT INTO memberships VALUES (2, 2, 1, 'member', 0)"],
  ['an unknown role', "UPDATE memberships SET role = 'root'"],
  ['an unknown person', 'UPDATE memberships SET person_id = 9'],
  ['an unknown account', 'UPDATE memberships SET account_id = 9'],
] as const

const INVITATIONS = [
  [
    'a second invitation of an address into an account',
    "INSERT INTO invitations VALUES (2, 1, 'b@example.com', 'owner', randomblob(32), 0, NULL, 0, 9)",
  ],
  [
    'a hash twice',
    "INSERT INTO invitations VALUES (2, 1, 'c@example.com', 'owner', zeroblob(32), 0, NULL, 0, 9)",
  ],
  ['a hash of another length', 'UPDATE invitations SET sha256 = zeroblob(31)'],
  ['an unknown role', "UPDATE invitations SET role = 'operator'"],
  ['an invalid address', "UPDATE invitations SET email = 'a'"],
  ['neither mailed nor not', 'UPDATE invitations SET is_mailed = 2'],
  ['an unknown account', 'UPDATE invitations SET account_id = 9'],
] as const

const STAFF = [
  ['a second role of a person', "INSERT INTO staff VALUES (2, 1, 'support', 0)"],
  ['an unknown role', "UPDATE staff SET role = 'owner'"],
  ['an unknown person', 'UPDATE staff SET person_id = 9'],
] as const

const HEALTH_STATES = [
  ['a subject twice', `INSERT INTO health_states VALUES ('["key","a#1","m"]', '{}', 1, 5)`],
  ['a subject that is not a list', "UPDATE health_states SET subject = 'a#1'"],
  ['a state that is not JSON', "UPDATE health_states SET state = 'bad'"],
  ['no version', 'UPDATE health_states SET version = 0'],
] as const

const ROUTE_SUMS = [
  ['a sum twice', "INSERT INTO route_sums VALUES (300, 600, 'm', 'p', 'u', 'answered', 1, 0, 0)"],
  ['a span of another length', 'UPDATE route_sums SET span_s = 60'],
  ['a begin between two spans', 'UPDATE route_sums SET start_s = 601'],
  ['a result without a word', "UPDATE route_sums SET result = ''"],
  ['no tries', 'UPDATE route_sums SET tries = 0, calls = 0'],
  ['more calls than tries', 'UPDATE route_sums SET calls = 3'],
  ['a negative time', 'UPDATE route_sums SET first_byte_ms = -1'],
] as const

const MODEL_DAYS = [
  ['a day twice', "INSERT INTO model_days VALUES (86400, 'm', 1, 0)"],
  ['a begin within a day', 'UPDATE model_days SET day_s = 86401'],
  ['a negative number of answers', 'UPDATE model_days SET answered = -1'],
  ['a negative number of failures', 'UPDATE model_days SET failed = -1'],
] as const

const INCIDENTS = [
  ['no title', "UPDATE incidents SET title = ''"],
  ['models that are not a list', "UPDATE incidents SET models = 'm'"],
  ['an unknown state', "UPDATE incidents SET state = 'fine'"],
  ['resolved without a time', "UPDATE incidents SET state = 'resolved'"],
  ['a time of the end while it is open', 'UPDATE incidents SET resolved_at_ms = 6'],
  ['an end before its begin', "UPDATE incidents SET state = 'resolved', resolved_at_ms = 4"],
] as const

const INCIDENT_UPDATES = [
  ['of an unknown incident', "INSERT INTO incident_updates VALUES (2, 9, 'resolved', 'x', 5)"],
  ['an unknown state', "UPDATE incident_updates SET state = 'fine'"],
  ['no text', "UPDATE incident_updates SET text = ''"],
] as const

const ALERTS = [
  ['a second open alert', "INSERT INTO alerts VALUES (3, 'disk', '', NULL, 'full', 6, NULL, NULL)"],
  ['no rule', "UPDATE alerts SET rule = ''"],
  ['no sentence', "UPDATE alerts SET sentence = ''"],
  ['an end before its begin', 'UPDATE alerts SET over_since_ms = 4 WHERE id = 1'],
  ['an end before it was over', 'UPDATE alerts SET ended_at_ms = 5 WHERE id = 1'],
  ['an unknown account', 'UPDATE alerts SET account_id = 9 WHERE id = 2'],
] as const

const ALERT_SENDINGS = [
  ['another event', "UPDATE alert_sendings SET event = 'seen'"],
  ['sent, and due again', 'UPDATE alert_sendings SET due_at_ms = 9'],
  ['negative tries', 'UPDATE alert_sendings SET tries = -1'],
  ['an unknown alert', 'UPDATE alert_sendings SET alert_id = 9'],
  ['an id twice', "INSERT INTO alert_sendings VALUES (2, 1, NULL, 'ended', 'm1', 5, 0, 5, NULL, NULL, NULL)"],
] as const

const MAILS = [
  ['another state', "UPDATE mails SET state = 'lost'"],
  ['a link once it is sent', "UPDATE mails SET link = '/x#t' WHERE id = 2"],
  ['sent with its link', "UPDATE mails SET state = 'sent', next_at_ms = NULL, sent_at_ms = 7 WHERE id = 1"],
  ['queued without a time', 'UPDATE mails SET next_at_ms = NULL WHERE id = 1'],
  ['sent, and tried again', 'UPDATE mails SET next_at_ms = 7 WHERE id = 2'],
  ['sent without a time', 'UPDATE mails SET sent_at_ms = NULL WHERE id = 2'],
  ['fields that are not JSON', "UPDATE mails SET fields = '{'"],
  ['negative attempts', 'UPDATE mails SET attempts = -1'],
  ['no recipient', "UPDATE mails SET recipient = ''"],
  ['a request key twice', "UPDATE mails SET request_key = 'k1' WHERE id = 2"],
  ['a message id twice', "UPDATE mails SET message_id = 'm1' WHERE id = 2"],
  ['an unknown account', 'UPDATE mails SET account_id = 9'],
] as const

const MAIL_RECIPIENTS = [
  ['an address twice', "INSERT INTO mail_recipients VALUES (2, 1, 'a@b', 't2', NULL)"],
  ['a token twice', "INSERT INTO mail_recipients VALUES (2, 1, 'c@d', 't1', NULL)"],
  ['an unknown account', 'UPDATE mail_recipients SET account_id = 9'],
] as const

const SIGN_UP_CODES = [
  ['a hash of another length', 'UPDATE sign_up_codes SET sha256 = zeroblob(31)'],
  ['a hash twice', 'INSERT INTO sign_up_codes VALUES (2, zeroblob(32), NULL, 1, 0, 5, 9, NULL)'],
  ['a code for 0 uses', 'UPDATE sign_up_codes SET max_uses = 0, uses = 0'],
  ['more uses than allowed', 'UPDATE sign_up_codes SET uses = 3'],
  ['a negative number of uses', 'UPDATE sign_up_codes SET uses = -1'],
  ['an address of two characters', "UPDATE sign_up_codes SET email = 'a@'"],
] as const

const SIGN_UPS = [
  [
    'a second pending sign-up of an address',
    "INSERT INTO sign_ups VALUES (3, NULL, 'c@d', 'mail', randomblob(32), NULL, NULL, 1, 5, 9, NULL)",
  ],
  [
    'a hash twice',
    "INSERT INTO sign_ups VALUES (3, NULL, 'e@f', 'mail', zeroblob(32), NULL, NULL, 1, 5, 9, NULL)",
  ],
  ['pending without a link', 'UPDATE sign_ups SET sha256 = NULL WHERE id = 2'],
  ['completed with a link', 'UPDATE sign_ups SET sha256 = randomblob(32) WHERE id = 1'],
  ['completed without an account', 'UPDATE sign_ups SET account_id = NULL WHERE id = 1'],
  ['pending with an account', 'UPDATE sign_ups SET account_id = 1 WHERE id = 2'],
  ['an unknown proof', "UPDATE sign_ups SET proof = 'word'"],
  ['an empty network', "UPDATE sign_ups SET network = ''"],
  ['a negative number of mails', 'UPDATE sign_ups SET mails = -1'],
  ['an unknown invitation', 'UPDATE sign_ups SET code_id = 9'],
  ['an unknown account', 'UPDATE sign_ups SET account_id = 9 WHERE id = 1'],
] as const

const SIGN_UP_COUNTS = [
  ['a subject twice', "INSERT INTO sign_up_counts VALUES (2, 'network', '203.0.113.7', 9, 1)"],
  ['an unknown kind', "UPDATE sign_up_counts SET kind = 'person'"],
  ['a count of 0', 'UPDATE sign_up_counts SET count = 0'],
  ['no subject', "UPDATE sign_up_counts SET subject = ''"],
] as const

const SIGN_UP_KEYS = [
  ['a secret of another length', 'UPDATE sign_up_keys SET secret = zeroblob(31)'],
] as const

const TERMS_ACCEPTANCES = [
  ['no address', "UPDATE terms_acceptances SET url = ''"],
  ['an unknown account', 'UPDATE terms_acceptances SET account_id = 9'],
  ['no person', 'UPDATE terms_acceptances SET person_id = NULL'],
] as const

const LINKS = [
  [
    'a second link of a person and purpose',
    "INSERT INTO sign_in_links VALUES (3, randomblob(32), 0, 9, 1, 'password', NULL)",
  ],
  ['an unknown purpose', "UPDATE sign_in_links SET purpose = 'x' WHERE id = 1"],
  ['a link for an address without the address', 'UPDATE sign_in_links SET email = NULL WHERE id = 2'],
  ['an address of another purpose', "UPDATE sign_in_links SET email = 'c@example.com' WHERE id = 1"],
  ['a hash of another length', 'UPDATE sign_in_links SET sha256 = zeroblob(33)'],
  ['a hash twice', 'UPDATE sign_in_links SET sha256 = zeroblob(32) WHERE id = 2'],
  ['an unknown person', 'UPDATE sign_in_links SET person_id = 9 WHERE id = 2'],
] as const

const GATEWAYS = [
  ['no version', "UPDATE gateways SET version = ''"],
  ['no start', 'UPDATE gateways SET started_at_ms = NULL'],
] as const

const BUCKET_MARKS = [
  ['a second mark', "INSERT INTO bucket_marks VALUES (2, 'b')"],
  ['an empty mark', "UPDATE bucket_marks SET mark = ''"],
] as const

const AUDIT_MARKS = [
  ['a second mark', "INSERT INTO audit_marks VALUES (2, '{}', zeroblob(32))"],
  ['a mark that is not JSON', "UPDATE audit_marks SET json = '{'"],
  ['a hash of another length', 'UPDATE audit_marks SET sha256 = zeroblob(31)'],
] as const

const IMPORTED_ROWS = [
  [
    'the same row twice',
    "INSERT INTO imported_rows VALUES (2, 'new-api', 'account', 'user 1', 1, NULL, '', '{}', 0)",
  ],
  ['an unknown kind', "UPDATE imported_rows SET kind = 'channel'"],
  ['without a source', "UPDATE imported_rows SET source = ''"],
  ['without a row', "UPDATE imported_rows SET source_id = ''"],
  ['of an unknown account', 'UPDATE imported_rows SET account_id = 9'],
  ['of an unknown key', 'UPDATE imported_rows SET key_id = 9'],
  ['content that is not JSON', "UPDATE imported_rows SET content = 'x'"],
] as const

const IMPORTED_USAGE = [
  ['the same day twice', "INSERT INTO imported_usage VALUES (2, 'new-api', 1, 86400, 'm', 1, 1, 1, 1)"],
  ['a day that does not begin at midnight', 'UPDATE imported_usage SET day_s = 5'],
  ['of an unknown account', 'UPDATE imported_usage SET account_id = 9'],
  ['a negative number of calls', 'UPDATE imported_usage SET calls = -1'],
  ['a negative charge', 'UPDATE imported_usage SET charged_nanos = -1'],
  ['more than the safe integers', `UPDATE imported_usage SET output_tokens = ${TOO_MUCH}`],
  ['a negative number of tokens', 'UPDATE imported_usage SET input_tokens = -1'],
  ['without a source', "UPDATE imported_usage SET source = ''"],
] as const

const STATE_CHANGES = [
  ['a changed state', "UPDATE state_changes SET to_state = 'lost'"],
  ['a change without its details', "UPDATE state_changes SET detail = '{}'"],
  ['a deleted change', 'DELETE FROM state_changes'],
  [
    'a change replaced',
    "INSERT OR REPLACE INTO state_changes VALUES (1, 'orders', 1, 1, 'a', 'b', 'c', '{}', 0)",
  ],
  ['without a table', "INSERT INTO state_changes VALUES (2, '', 1, 1, 'a', 'b', 'c', '{}', 0)"],
  ['of an unknown account', "INSERT INTO state_changes VALUES (2, 'orders', 1, 9, 'a', 'b', 'c', '{}', 0)"],
  ['without a state before', "INSERT INTO state_changes VALUES (2, 'orders', 1, 1, '', 'b', 'c', '{}', 0)"],
  ['without a state after', "INSERT INTO state_changes VALUES (2, 'orders', 1, 1, 'a', '', 'c', '{}', 0)"],
  ['without a source', "INSERT INTO state_changes VALUES (2, 'orders', 1, 1, 'a', 'b', '', '{}', 0)"],
  ['details other than JSON', "INSERT INTO state_changes VALUES (2, 'orders', 1, 1, 'a', 'b', 'c', 'x', 0)"],
] as const

const ORDERS = [
  ['of an unknown account', 'UPDATE orders SET account_id = 9'],
  ['of an unknown kind', "UPDATE orders SET kind = 'gift'"],
  ['without a payment method', "UPDATE orders SET provider = ''"],
  ['an empty reference', "UPDATE orders SET reference = ''"],
  ['a reference twice', "UPDATE orders SET reference = 'cs_2'"],
  ['a currency of other than three letters', "UPDATE orders SET currency = 'EURO'"],
  ['an order of 0', 'UPDATE orders SET amount_minor = 0'],
  ['a rate of 0', 'UPDATE orders SET rate_nanos = 0'],
  ['a credit of 0', 'UPDATE orders SET credit_nanos = 0'],
  ['a negative bonus', 'UPDATE orders SET bonus_nanos = -1'],
  ['an unknown state', "UPDATE orders SET state = 'lent'"],
  ['a negative number of looks', 'UPDATE orders SET looks = -1'],
  ['an empty trouble', "UPDATE orders SET trouble = ''"],
  ['an empty reference of its payment', "UPDATE orders SET payment_reference = ''"],
  ['an empty country of the tax', "UPDATE orders SET tax_country = ''"],
  ['an empty receipt', "UPDATE orders SET receipt_url = ''"],
  ['more refunded than was paid', 'UPDATE orders SET refunded_minor = amount_minor + 1'],
  ['a negative refund', 'UPDATE orders SET refunded_minor = -1'],
  ['neither live nor a test', 'UPDATE orders SET is_live = 2'],
  ['an empty request key', "UPDATE orders SET request_key = ''"],
  ['an unknown month of a plan', 'UPDATE orders SET plan_period_id = 9'],
  ['a request key twice in an account', "UPDATE orders SET request_key = 'k1' WHERE id = 2"],
  ['an order that has a refund, deleted', 'DELETE FROM orders WHERE id = 1'],
] as const

const ORDER_REFUNDS = [
  ['of an unknown order', 'UPDATE order_refunds SET order_id = 9'],
  ['of an unknown account', 'UPDATE order_refunds SET account_id = 9'],
  ['of 0', 'UPDATE order_refunds SET amount_minor = 0'],
  ['a negative debit', 'UPDATE order_refunds SET debit_nanos = -1'],
  ['neither into debt nor not', 'UPDATE order_refunds SET into_debt = 2'],
  ['an unknown state', "UPDATE order_refunds SET state = 'lost'"],
  ['an empty reference', "UPDATE order_refunds SET reference = ''"],
] as const

const REFERRAL_LINKS = [
  ['of an unknown account', 'UPDATE referral_links SET account_id = 9'],
  ['without a code', "UPDATE referral_links SET code = ''"],
] as const

const REFERRALS = [
  ['of an unknown account', 'UPDATE referrals SET account_id = 9'],
  ['by an unknown account', 'UPDATE referrals SET referrer_id = 9'],
  ['of itself', 'UPDATE referrals SET referrer_id = account_id'],
] as const

const VOUCHER_BATCHES = [
  ['neither once per account nor not', 'UPDATE voucher_batches SET once_each = 2'],
  ['a batch that has vouchers, deleted', 'DELETE FROM voucher_batches'],
] as const

const VOUCHERS = [
  ['of an unknown batch', 'UPDATE vouchers SET batch_id = 9'],
  ['redeemed by an unknown account', 'UPDATE vouchers SET account_id = 9 WHERE id = 1'],
  ['redeemed by nobody', 'UPDATE vouchers SET account_id = NULL WHERE id = 1'],
  ['new and of an account', 'UPDATE vouchers SET account_id = 1 WHERE id = 2'],
  ['a code twice', 'UPDATE vouchers SET sha256 = zeroblob(32)'],
  ['a hash of another length', 'UPDATE vouchers SET sha256 = zeroblob(31) WHERE id = 1'],
  ['of 0', 'UPDATE vouchers SET amount_nanos = 0'],
  ['an unknown state', "UPDATE vouchers SET state = 'lost' WHERE id = 2"],
] as const

const PAYMENT_CUSTOMERS = [
  ['of an unknown account', 'UPDATE payment_customers SET account_id = 9'],
  ['without a payment method', "UPDATE payment_customers SET provider = ''"],
  ['neither live nor a test', 'UPDATE payment_customers SET is_live = 2'],
  ['two of an account in one mode', 'UPDATE payment_customers SET is_live = 1'],
  ['without a number', "UPDATE payment_customers SET reference = ''"],
  ['an empty page', "UPDATE payment_customers SET card_setup = ''"],
  ['an empty card', "UPDATE payment_customers SET card_reference = ''"],
] as const

const AUTOMATIC_TOP_UPS = [
  ['of an unknown account', 'UPDATE automatic_top_ups SET account_id = 9'],
  ['neither on nor off', "UPDATE automatic_top_ups SET is_on = 2, off_reason = 'card'"],
  ['off for no reason', 'UPDATE automatic_top_ups SET is_on = 0'],
  ['on, with a reason why not', "UPDATE automatic_top_ups SET off_reason = 'card'"],
  ['off for an unknown reason', "UPDATE automatic_top_ups SET is_on = 0, off_reason = 'moon'"],
  ['below 0', 'UPDATE automatic_top_ups SET below_nanos = 0'],
  ['below more than the safe integers', `UPDATE automatic_top_ups SET below_nanos = ${TOO_MUCH}`],
  ['without a payment method', "UPDATE automatic_top_ups SET provider = ''"],
  ['a currency of other than three letters', "UPDATE automatic_top_ups SET currency = 'EURO'"],
  ['of 0', 'UPDATE automatic_top_ups SET amount_minor = 0'],
  ['a limit that no top-up fits in', 'UPDATE automatic_top_ups SET month_limit_minor = 999'],
  ['a limit above the safe integers', `UPDATE automatic_top_ups SET month_limit_minor = ${TOO_MUCH}`],
  ['an unknown order', 'UPDATE automatic_top_ups SET order_id = 9'],
  ['a negative number of failures', 'UPDATE automatic_top_ups SET failures = -1'],
] as const

/** The refused statements, by the table that stays unchanged. */
export const REFUSED_STATEMENTS = [
  ['gateways', GATEWAYS],
  ['bucket_marks', BUCKET_MARKS],
  ['audit_marks', AUDIT_MARKS],
  ['passwords', PASSWORDS],
  ['sessions', SESSIONS],
  ['identities', IDENTITIES],
  ['spent_tokens', SPENT_TOKENS],
  ['sign_in_links', LINKS],
  ['passkeys', PASSKEYS],
  ['passkey_challenges', PASSKEY_CHALLENGES],
  ['known_addresses', KNOWN_ADDRESSES],
  ['people', PEOPLE],
  ['memberships', MEMBERSHIPS],
  ['invitations', INVITATIONS],
  ['staff', STAFF],
  ['route_sums', ROUTE_SUMS],
  ['health_states', HEALTH_STATES],
  ['model_days', MODEL_DAYS],
  ['incidents', INCIDENTS],
  ['incident_updates', INCIDENT_UPDATES],
  ['alerts', ALERTS],
  ['alert_sendings', ALERT_SENDINGS],
  ['mails', MAILS],
  ['mail_recipients', MAIL_RECIPIENTS],
  ['sign_up_codes', SIGN_UP_CODES],
  ['sign_ups', SIGN_UPS],
  ['sign_up_counts', SIGN_UP_COUNTS],
  ['sign_up_keys', SIGN_UP_KEYS],
  ['terms_acceptances', TERMS_ACCEPTANCES],
  ['accounts', ACCOUNTS],
  ['closed_accounts', CLOSED_ACCOUNTS],
  ['account_suspensions', ACCOUNT_SUSPENSIONS],
  ['keys', KEYS],
  ['budgets', BUDGETS],
  ['plan_periods', PLAN_PERIODS],
  ['refusals', REFUSALS],
  ['holds', HOLDS],
  ['entries', ENTRIES],
  ['opening_debts', OPENING_DEBTS],
  ['state_changes', STATE_CHANGES],
  ['orders', ORDERS],
  ['order_refunds', ORDER_REFUNDS],
  ['referral_links', REFERRAL_LINKS],
  ['referrals', REFERRALS],
  ['voucher_batches', VOUCHER_BATCHES],
  ['vouchers', VOUCHERS],
  ['payment_customers', PAYMENT_CUSTOMERS],
  ['automatic_top_ups', AUTOMATIC_TOP_UPS],
  ['calls', CALLS],
  ['responses', RESPONSES],
  ['imported_rows', IMPORTED_ROWS],
  ['imported_usage', IMPORTED_USAGE],
] as const
