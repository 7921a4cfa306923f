// Labels of settings about money: billing, markup, payments, plans, referrals.

const CURRENCIES = 'Such as EUR, USD. Leave empty for all that have a rate.'

const PAYMENTS = {
  title: 'Payments',
  lead: 'How accounts pay: by card, by bank transfer, or both. Set one of them to offer “Add funds”.',
  groups: { presets: 'Add funds', 'stripe.secret_key': 'Cards, by Stripe', 'manual.title': 'Bank transfers' },
  example: `[payments.rates]   # USD of credit for one unit; without rates, accounts pay in USD
EUR = "1.08"
USD = "1"

[[payments.bonuses]]
from_usd = "100"
percent = "5"`,
  labels: {
    presets: { label: 'Proposed amounts', help: 'Such as 25, 50, 100, in the currency of the payment.' },
    'stripe.secret_key': {
      label: 'Secret key',
      help: 'From Stripe’s dashboard: sk_… or a restricted rk_…, or env:NAME. Needs a public URL.',
      code: true,
    },
    'stripe.webhook_secret': {
      label: 'Webhook secret',
      help: 'At Stripe, create a webhook endpoint for your public URL with /payments/stripe/webhook. Its signing secret is whsec_…, or env:NAME.',
      code: true,
    },
    'stripe.currencies': { label: 'Currencies', help: CURRENCIES, code: true },
    'stripe.methods': {
      label: 'Payment methods',
      help: 'Stripe’s names, such as card, sepa_debit. Leave empty for those of your Stripe dashboard.',
      code: true,
    },
    'stripe.tax': { label: 'Tax', help: 'Stripe Tax computes the tax that each payment includes.' },
    'manual.title': { label: 'Name', help: 'The name of this payment method on “Add funds”.' },
    'manual.instructions': {
      label: 'Instructions',
      help: 'Your bank details. {amount} and {reference} are filled in, and added if you leave them out.',
      rows: 3,
    },
    'manual.currencies': { label: 'Currencies', help: CURRENCIES, code: true },
    'manual.min_usd': { label: 'Smallest transfer', help: 'In USD of credit. Leave empty for 1.' },
    'manual.max_usd': { label: 'Largest transfer', help: 'In USD of credit. Leave empty for 10,000.' },
    'manual.expires_days': {
      label: 'Days until an order expires',
      help: 'A transfer that arrives later can still be marked as paid.',
    },
  },
} as const

export const MONEY = {
  billing: {
    title: 'Billing',
    lead: 'Interrupted answers, and the seller on statements.',
    labels: {
      interrupted: {
        label: 'Interrupted answers',
        help: 'What a caller pays when the provider drops the connection mid-answer.',
        options: { charge: 'Charge for what arrived', free: 'Free' },
      },
      seller: {
        label: 'Seller',
        help: 'Your name, address and tax number. Printed on statements.',
        rows: 3,
      },
    },
  },
  catalogue: {
    title: 'Markup',
    lead: 'How far your prices are above the costs of providers.',
    labels: {
      markup: {
        label: 'Markup',
        help: 'Prices are proposed and imported at the cost plus this. Leave empty for none.',
      },
    },
  },
  payments: PAYMENTS,
  plans: {
    title: 'Plans',
    lead: 'Monthly plans that accounts can buy. A plan covers calls up to its limits.',
    noun: 'plan',
    labels: {
      offered: { label: 'Offered plans' },
      name: { label: 'Name', help: 'Such as pro. Do not change it later: bought months refer to it.' },
      title: { label: 'Title', help: 'Shown to accounts. Leave empty to use the name.' },
      models: { label: 'Models', help: 'IDs or patterns such as gpt-*, separated by commas; * for all.' },
      price_usd: { label: 'Price a month' },
      usd_per_5h: { label: 'Limit of 5 hours', help: 'They start with a call. Leave empty for no limit.' },
      usd_per_day: { label: 'Limit of a day (UTC)' },
      usd_per_week: { label: 'Limit of a week (UTC)', help: 'From Monday.' },
      usd_per_month: { label: 'Limit of the paid month' },
      concurrent_calls: { label: 'Concurrent requests', help: 'Leave empty for no limit.' },
      overflow: { label: 'Beyond the limits, use the balance', help: 'When off, such calls are refused.' },
    },
  },
  referral: {
    title: 'Referrals',
    lead: 'What an account earns from customers who sign up through its link.',
    labels: {
      share: { label: 'Share of payments', help: 'From 0 to 1: 0.1 is 10 %. 0 turns referrals off.' },
      months: { label: 'Months', help: 'How long after the sign-up payments count.' },
    },
  },
} as const
