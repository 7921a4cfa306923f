// The address of a payment method's webhooks.

/** Below the gateway's address, with the name of the method: what the operator enters at the provider. */
export const webhookPath = (method: string): string => `/payments/${method}/webhook`
