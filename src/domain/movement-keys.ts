// Idempotency keys of money operations by people: printable ASCII, and none of the gateway's own keys.

/**
 * The gateway's own keys are a name, a colon and a number: `order:12`, `voucher:3`. A person's use of such a key would block a
 * payment, a voucher or a plan.
 */
export const MOVEMENT_KEY_PATTERN = '^(?![a-z-]+:[0-9])[ -~]{1,255}$'
