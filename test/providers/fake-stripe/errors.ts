// The errors of a fake Stripe, in the form of docs.stripe.com/api/errors.

export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly error: Readonly<Record<string, unknown>>,
  ) {
    super(String(error.message))
  }

  toResponse(): Response {
    return Response.json({ error: this.error }, { status: this.status })
  }
}

export const invalid = (message: string, more: Record<string, unknown> = {}): StripeRefusal =>
  new StripeRefusal(400, { type: 'invalid_request_error', message, ...more })

export const missing = (kind: string, id: string, param = 'id'): StripeRefusal =>
  new StripeRefusal(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${kind}: '${id}'`,
  })

export const declined = (decline_code: string, message: string, payment_intent?: unknown): StripeRefusal =>
  new StripeRefusal(402, {
    type: 'card_error',
    code: decline_code === 'authentication_required' ? decline_code : 'card_declined',
    decline_code,
    message,
    payment_intent,
  })
