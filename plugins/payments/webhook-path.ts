// The path of a payment method's webhooks below the gateway's address, which the operator enters at the provider.

export const webhookPath = (method: string): string => `/payments/${method}/webhook`
