// The interface of payment methods, built-in ones and those of custom plugins. Imports nothing.

/**
 * A payment method: how accounts pay with money from outside. The gateway makes an order, `start` says where it is paid, and `look` what has
 * become of it: only what `look` answers credits an account, once. A webhook is a hint to look.
 */
export interface PaymentProvider {
  /** In orders and in the address of its webhook: lower-case letters, digits and hyphens. It never changes. */
  readonly name: string
  /** The name that people choose by, such as `Card`. */
  readonly title: string
  /** ISO 4217 codes in upper case. */
  readonly currencies: readonly string[]
  /** The limits of one payment in each of these currencies. */
  readonly limits: Readonly<Record<string, AmountLimits>>
  /** No money moves, as in a provider's test mode: pages say so. */
  readonly is_test?: boolean
  /** The time in which an order may be paid; a day where absent. */
  readonly expires_ms?: number
  /**
   * Begins a payment. Called again for the same order, as after a crash, it begins no second one. A reference that is made here names this
   * order alone, also after another database gave its number: put `expires_at_ms` in it, as in `TG12T1764456000000`.
   */
  start(order: PaymentOrder): Promise<StartedPayment>
  /** The payment as the provider says now, asked with the operator's own credentials. Throws while the provider does not answer. */
  look(reference: string, order: PaymentOrder): Promise<Payment>
  /** Instructions for the person where there is no page to pay on, such as bank details: shown with the order while it is open, as plain text. */
  instructions?(order: PaymentOrder): string
  /**
   * The subject of a webhook, once its signature was checked over its bytes: GET or POST of the order's `webhook_url`. @returns undefined for
   * events that are about no payment. Throws where the signature is wrong or missing.
   */
  hook?(request: Request): Promise<PaymentHint | undefined>
  /** Gives back a part of a payment, or all. Called again under the same key it gives nothing back again. Throws where nothing is known. */
  refund?(order: PaymentOrder, amount_minor: number, key: string): Promise<PaymentRefund>
  /**
   * Charges the card that the account has saved, without the person. Called again for the same order it charges nothing again.
   *
   * @param may_begin false after the order's `expires_at_ms`, once it was cancelled, and once its plan was cancelled or paid otherwise: no charge begins
   * any more. It gives the charge that was made before, or refuses
   */
  chargeSaved?(order: PaymentOrder, may_begin: boolean): Promise<StartedPayment | { refused: string }>
}

/** The least and the greatest amount of one payment, in the smallest unit of its currency, as all `_minor`: 100 is 1.00 EUR, and 100 JPY. */
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
  /** The purpose of the payment, as a line of a receipt: `Credit of 27.00 USD`. */
  readonly description: string
  /** The provider's number of it, once it was begun. */
  readonly reference: string | null
  /** The number of the payment itself, once it was paid. */
  readonly payment_reference: string | null
  readonly expires_at_ms: number
  /** The page of the order, where the person comes back to: https. */
  readonly return_url: string
  /** The address at which the provider reports changes of the payment, for providers that take it with each payment. */
  readonly webhook_url: string
}

/** A payment that may have changed: the gateway asks for it with `look`. */
export interface PaymentHint {
  reference: string
  /** The text that the provider takes as receipt, once the payment was looked at; where absent, JSON that says so. */
  answer?: string
}

export interface StartedPayment {
  /** The provider's number of it, by which `look` and webhooks name it. */
  reference: string
  /** The page to pay on: https. Absent where the person pays elsewhere, as by a bank transfer. */
  go_to?: string
}

export interface Payment {
  /** `pending`: the person has paid, and the money is on its way. `failed`: it cannot be paid any more. */
  state: 'open' | 'pending' | 'paid' | 'failed'
  /** Of what was paid, or is asked for. */
  currency: string
  amount_minor: number
  /** The order that the provider has it for, where it says so: a payment of another order credits nothing. */
  order_id?: number
  /** The number of the payment itself, where that is not the reference. */
  payment_reference?: string
  /** The provider's fee. */
  fee_minor?: number
  /** The tax in it, and whose. */
  tax_minor?: number
  tax_country?: string
  receipt_url?: string
  /** Refunds that the gateway requested and those made at the provider. */
  refunds?: readonly PaymentRefund[]
  dispute?: 'open' | 'won' | 'lost'
  /** No money moved. */
  is_test?: boolean
}

export interface PaymentRefund {
  /** The provider's number of it. */
  reference: string
  /** The key that it was asked for with. */
  key?: string
  amount_minor: number
  state: 'pending' | 'done' | 'failed'
  /** Why it failed, for the operator. */
  message?: string
}
