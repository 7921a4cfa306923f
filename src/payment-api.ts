// The interface of payment methods, built-in ones and those of custom plugins. Imports nothing.

/**
 * A payment method, by which accounts pay money in. The gateway creates an order, `start` returns the page to pay on, and `look` returns the
 * state of the payment. Only an answer of `look` credits an account, and only once. A webhook is a hint to call `look`.
 */
export interface PaymentProvider {
  /** The name in orders and in the webhook's URL: lower-case letters, digits and hyphens. It must never change. */
  readonly name: string
  /** The name on pages, such as `Card`. */
  readonly title: string
  /** ISO 4217 codes in upper case. */
  readonly currencies: readonly string[]
  /** The limits of one payment in each of these currencies. */
  readonly limits: Readonly<Record<string, AmountLimits>>
  /** Test mode: no money moves. Pages say so. */
  readonly is_test?: boolean
  /** The time within which an order may be paid; a day if absent. */
  readonly expires_ms?: number
  /**
   * Starts a payment. A repeated call for the same order, as after a crash, must not start a second one. A reference that the method makes up
   * must be unique to this order even if another database used the same order ID: include `expires_at_ms`, as in `TG12T1764456000000`.
   */
  start(order: PaymentOrder): Promise<StartedPayment>
  /** Returns the payment's current state, requested from the provider with the operator's credentials. Throws if the provider does not answer. */
  look(reference: string, order: PaymentOrder): Promise<Payment>
  /** Plain-text instructions for payments without a page, such as bank details. The order's page shows them while the order is open. */
  instructions?(order: PaymentOrder): string
  /**
   * Checks the signature of a webhook (GET or POST of the order's `webhook_url`) over its bytes and returns the payment that it is about.
   * Returns undefined for events about no payment. Throws if the signature is wrong or missing.
   */
  hook?(request: Request): Promise<PaymentHint | undefined>
  /** Refunds a part of a payment, or all. A repeated call with the same key must not refund again. Throws if the result is unknown. */
  refund?(order: PaymentOrder, amount_minor: number, key: string): Promise<PaymentRefund>
  /**
   * Charges the account's saved card while the person is absent. A repeated call for the same order must not charge again.
   *
   * @param may_begin false once the order has expired or was cancelled, or its plan was cancelled or paid otherwise: then no new charge may
   * start, and the method returns the charge made before, or refuses
   */
  chargeSaved?(order: PaymentOrder, may_begin: boolean): Promise<StartedPayment | { refused: string }>
}

/** The smallest and largest amount of one payment. All `_minor` are in the smallest unit of the currency: 100 is 1.00 EUR, or 100 JPY. */
export interface AmountLimits {
  readonly min_minor: number
  readonly max_minor: number
}

/** An order as payment methods see it. */
export interface PaymentOrder {
  readonly id: number
  readonly account_id: number
  /** The name of the account. */
  readonly account: string
  readonly currency: string
  readonly amount_minor: number
  /** The line on a receipt: `Credit of 27.00 USD`. */
  readonly description: string
  /** The reference that `start` or `chargeSaved` returned; null before. */
  readonly reference: string | null
  /** The provider's ID of the payment; null until it is paid. */
  readonly payment_reference: string | null
  readonly expires_at_ms: number
  /** The order's page, to which the person returns after paying: https. */
  readonly return_url: string
  /** The webhook's URL, for providers that accept one with each payment. */
  readonly webhook_url: string
}

/** A payment that may have changed: the gateway calls `look` for it. */
export interface PaymentHint {
  reference: string
  /** The response body that the provider expects as acknowledgement, sent after `look`; generic JSON if absent. */
  answer?: string
}

export interface StartedPayment {
  /** The provider's ID of the payment, used by `look` and in webhooks. */
  reference: string
  /** The page to pay on: https. Absent if the person pays elsewhere, as by bank transfer. */
  go_to?: string
}

export interface Payment {
  /** `pending`: the person has paid, and the money is on its way. `failed`: it cannot be paid any more. */
  state: 'open' | 'pending' | 'paid' | 'failed'
  /** The currency of the amount paid, or of the amount due. */
  currency: string
  amount_minor: number
  /** The order ID that the provider reports, if it does: a payment of another order credits nothing. */
  order_id?: number
  /** The provider's ID of the payment, if it differs from the reference. */
  payment_reference?: string
  /** The provider's fee. */
  fee_minor?: number
  /** The tax included, and its country. */
  tax_minor?: number
  tax_country?: string
  receipt_url?: string
  /** All refunds: requested by the gateway, or made at the provider. */
  refunds?: readonly PaymentRefund[]
  dispute?: 'open' | 'won' | 'lost'
  /** When an open dispute must be answered. */
  dispute_due_ms?: number
  /** Test mode: no money moved. */
  is_test?: boolean
}

export interface PaymentRefund {
  /** The provider's ID of the refund. */
  reference: string
  /** The `key` of the gateway's refund request. */
  key?: string
  amount_minor: number
  state: 'pending' | 'done' | 'failed'
  /** Why it failed, for the operator. */
  message?: string
}
