// The English templates of mails.

import type { BudgetPeriod } from '../../src/domain/budgets.ts'
import { floorToCent, formatUsd, type Nanos } from '../../src/domain/money.ts'
import { counted } from '../../src/utilities/counted.ts'
import type { About, MailFields, Templates } from './purposes.ts'

export const english: Templates = {
  verification: (_, about) => ({
    subject: `Confirm your email address for ${about.brand.name}`,
    title: 'Confirm your email address',
    paragraphs: [`Confirm that this address is yours to finish your sign-up at ${about.brand.name}.`],
    button: { label: 'Confirm address' },
    small: [
      ...worksUntil(about),
      'If you did not sign up, ignore this mail. Nothing happens without the link.',
    ],
  }),
  has_account: (_, about) => ({
    subject: `You have an account at ${about.brand.name} already`,
    title: 'You have an account already',
    paragraphs: [
      `Somebody signed up at ${about.brand.name} with this address, which has an account. Sign in with it instead.`,
      'If you forgot your password, ask for a new one where you sign in.',
    ],
    button: { label: 'Sign in', path: '/console' },
    small: ['If that was not you, ignore this mail. Nothing was changed.'],
  }),
  sign_up_invitation: (_, about) => ({
    subject: `Your invitation to ${about.brand.name}`,
    title: `You are invited to ${about.brand.name}`,
    paragraphs: [`Open the link to create your account at ${about.brand.name}.`],
    button: { label: 'Create account' },
    small: [...worksUntil(about), 'If you did not expect it, ignore this mail.'],
  }),
  sign_in: (_, about) => ({
    subject: `Your sign-in link for ${about.brand.name}`,
    title: `Sign in to ${about.brand.name}`,
    paragraphs: ['Open the link to sign in.'],
    button: { label: 'Sign in' },
    small: [
      ...worksUntil(about),
      'If you did not ask for it, ignore this mail, and do not pass the link on.',
    ],
  }),
  email_change: (_, about) => ({
    subject: `Confirm your new email address for ${about.brand.name}`,
    title: 'Confirm your new email address',
    paragraphs: [
      `Confirm this address to sign in to ${about.brand.name} with it. Open the link in the browser where you are signed in.`,
    ],
    button: { label: 'Confirm address' },
    small: [
      ...worksUntil(about),
      'If you did not ask for it, ignore this mail. Nothing happens without the link.',
    ],
  }),
  reset: ({ account }, about) => ({
    subject: `Set a new password for ${about.brand.name}`,
    title: 'Set a new password',
    paragraphs: [
      account === undefined
        ? 'Open the link to set a new password.'
        : `Open the link to set a new password for the account ${account}.`,
      'Your current password works until you set a new one.',
    ],
    button: { label: 'Set password' },
    small: [...worksUntil(about), 'If you did not ask for it, ignore this mail.'],
  }),
  invitation: (fields, about) => ({
    subject: `Your invitation to ${about.brand.name}`,
    title: `You are invited to ${about.brand.name}`,
    paragraphs: [invitationWords(fields, about)],
    button: { label: 'Accept invitation' },
    small: [...worksUntil(about), 'If you did not expect it, ignore this mail.'],
  }),
  new_sign_in: ({ address, browser, at_ms }, about) => ({
    subject: `New sign-in to ${about.brand.name}`,
    title: 'New sign-in',
    paragraphs: [
      `Somebody signed in to your account from a place that you have not used before: ${address}, ${exactTime(at_ms)}.`,
      ...(browser === '' ? [] : [`Browser: ${browser}`]),
      'If that was you, there is nothing to do. If not, change your password and end the session in Settings.',
    ],
    button: { label: 'Review sessions', path: '/console/settings' },
  }),
  sign_in_changed: ({ change, at_ms }, about) => ({
    subject: `Your sign-in to ${about.brand.name} was changed`,
    title: 'Your sign-in was changed',
    paragraphs: [
      `${CHANGES[change]} (${exactTime(at_ms)}).`,
      'If that was you, there is nothing to do. If not, sign in, change it back, and end all sessions in Settings.',
    ],
    button: { label: 'Review settings', path: '/console/settings' },
  }),
  low_balance: (fields) => ({
    subject: `Low balance: ${balanceWords(fields)}`,
    title: 'Low balance',
    paragraphs: [`${balanceWords(fields)}. ${LOW_ADVICE[fields.reason]}`],
    button: { label: 'Open your account', path: '/console' },
  }),
  budget: (fields) => ({
    subject: `${budgetName(fields)}: ${fields.percent} % used`,
    title: `${fields.percent} % of a ${fields.plan ? 'plan’s' : 'spend'} limit is used`,
    paragraphs: [
      `${budgetName(fields)}: ${usd(fields.used_nanos)} of ${usd(fields.limit_nanos)} USD.`,
      `${fields.percent === 100 ? 'Further calls' : 'At 100 % calls'} are ${beyondWords(fields)} until ${resetWords(fields.resets_at_ms)}.`,
    ],
    button: fields.plan
      ? { label: 'Open your plan', path: '/console/plan' }
      : { label: 'Review usage', path: '/console' },
  }),
  plan_renewed: ({ account, plan, paid_nanos, ends_ms }) => ({
    subject: `${plan} is renewed until ${day(ends_ms)}`,
    title: `${plan} is renewed`,
    paragraphs: [
      `The next month of ${plan} has started for ${account}. It is paid until ${exactTime(ends_ms)}.`,
      `Paid: ${formatUsd(paid_nanos)} USD.`,
    ],
    button: { label: 'Open your plan', path: '/console/plan' },
  }),
  plan_begun: ({ account, plan, before, paid_nanos, ends_ms }) => ({
    subject: `${plan} has started`,
    title: `${plan} has started`,
    paragraphs: [
      `${plan} has started for ${account} and replaces ${before}. It is paid until ${exactTime(ends_ms)}.`,
      `Paid: ${formatUsd(paid_nanos)} USD.`,
    ],
    button: { label: 'Open your plan', path: '/console/plan' },
  }),
  plan_unpaid: ({ account, plan, due_nanos, until_ms, failure }) => ({
    subject: `${plan} is not paid: it ends on ${day(until_ms)}`,
    title: `${plan} is not paid`,
    paragraphs: [
      failure === null
        ? `The balance of ${account} is too low for the next month of ${plan}, which costs ${formatUsd(due_nanos)} USD.`
        : `The balance of ${account} is too low for the next month of ${plan}, which costs ${formatUsd(due_nanos)} USD, and the saved card was not charged. ${failure}`,
      `Pay for it, or add funds, by ${exactTime(until_ms)}. Otherwise ${plan} ends then. Until then it covers calls within its remaining limits.`,
    ],
    button: { label: `Pay for ${plan}`, path: '/console/plan' },
  }),
  plan_ended: ({ account, plan, reason }) => ({
    subject: `${plan} has ended`,
    title: `${plan} has ended`,
    paragraphs: [
      `The plan ${plan} of ${account} has ended${END_REASONS[reason]}. Calls are paid from the balance from now on.`,
    ],
    button: { label: 'Choose a plan', path: '/console/plan' },
  }),
  plan_not_begun: ({ account, plan, amount, credit_nanos }) => ({
    subject: `${amount} is on your balance: ${plan} has not started`,
    title: `${plan} has not started`,
    paragraphs: [
      `Your payment of ${amount} for ${plan} arrived too late to start the plan. ${formatUsd(credit_nanos)} USD was added to the balance of ${account}.`,
      'Nothing is lost: buy a plan from the balance, or use it for calls.',
    ],
    button: { label: 'Open your plan', path: '/console/plan' },
  }),
  automatic_top_up_off: ({ account, amount, failure }) => ({
    subject: `Automatic top-up of ${account} is off`,
    title: 'Automatic top-up is off',
    paragraphs: [
      `Three payments of ${amount} in a row have failed, so ${account} is not topped up automatically any more. ${failure}`,
      'Save another card, or add funds by hand, and turn automatic top-up on again.',
    ],
    button: { label: 'Open payments', path: '/console/payments' },
  }),
  key_expiring: ({ account, key, prefix, expires_at_ms }) => ({
    subject: `API key "${key}" expires on ${day(expires_at_ms)}`,
    title: 'An API key expires soon',
    paragraphs: [
      `The API key "${key}" (${prefix}…) of the account ${account} expires on ${exactTime(expires_at_ms)}. Calls with it are refused from then on.`,
      'Create a new key, or ask for a later expiry, if it is still in use.',
    ],
    button: { label: 'Open API keys', path: '/console/keys' },
  }),
  test: (_, { brand }) => ({
    subject: `Test mail from ${brand.name}`,
    title: 'This is a test',
    paragraphs: [`Mails from ${brand.name} reach this address. There is nothing to do.`],
  }),
}

const STAFF: Readonly<Record<'operator' | 'support' | 'auditor', string>> = {
  operator: 'an operator',
  support: 'support',
  auditor: 'an auditor',
}

function invitationWords(fields: MailFields['invitation'], { brand }: About): string {
  if ('staff_role' in fields)
    return `You are invited to work on ${brand.name} as ${STAFF[fields.staff_role]}. Set a password, and sign in with it and this email address.`
  const { account, invited_by } = fields
  return invited_by === undefined
    ? `Your account ${account} is ready. Set a password to sign in.`
    : `${invited_by} invites you to the account ${account}.`
}

const CHANGES: Readonly<Record<MailFields['sign_in_changed']['change'], string>> = {
  email: 'Your email address was changed',
  password: 'Your password was changed',
  passkey: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  passkey_copied: 'A passkey was refused, since it seems to have been copied. Remove it and add a new one',
  identity: 'A sign-in with another provider was added',
  identity_removed: 'A sign-in with another provider was removed',
}

const LOW_ADVICE: Readonly<Record<MailFields['low_balance']['reason'], string>> = {
  debt: 'Calls are refused until the debt is paid and there is balance left.',
  empty: 'Calls are refused until you add funds.',
  call: 'That is less than one of your recent calls needs. Add funds so that calls go on.',
  pace: 'Add funds in time so that calls go on.',
}

function balanceWords({
  account,
  reason,
  available_nanos,
  debt_nanos,
  lasts_days,
}: MailFields['low_balance']): string {
  if (reason === 'debt') return `${account} owes ${usd(debt_nanos)} USD`
  if (reason === 'empty') return `${account} has no balance left`
  const left = `${account} has ${usd(available_nanos)} USD left`
  if (reason !== 'pace') return left
  return lasts_days === null || lasts_days < 1
    ? `${left}, less than a day at this week’s pace`
    : `${left}, about ${counted(lasts_days, 'day')} at this week’s pace`
}

const PERIODS: Readonly<Record<BudgetPeriod, string>> = {
  '5h': '5-hour limit',
  day: 'Daily limit',
  week: 'Weekly limit',
  month: 'Monthly limit',
}

const END_REASONS: Readonly<Record<MailFields['plan_ended']['reason'], string>> = {
  cancelled: ', as it was cancelled',
  'not paid': ', since its next month was not paid',
  'no longer offered': ', since it is no longer offered',
  refunded: ', since its price was refunded',
  'payment lost': ', since your bank took its payment back',
}

const beyondWords = ({ plan }: MailFields['budget']): string =>
  plan?.overflow ? 'paid from the balance' : 'refused'

const budgetName = ({ period, key, account, plan }: MailFields['budget']): string =>
  plan
    ? `${PERIODS[period]} of the plan ${plan.title}`
    : key === null
      ? `${PERIODS[period]} of ${account}`
      : `${PERIODS[period]} of the API key "${key}"`

const resetWords = (resets_at_ms: number | null): string =>
  resets_at_ms === null ? 'the limit resets' : `it resets on ${exactTime(resets_at_ms)}`

const worksUntil = ({ link_expires_at_ms }: About): string[] => [
  link_expires_at_ms === null
    ? 'The link works once.'
    : `The link works once, until ${exactTime(link_expires_at_ms)}.`,
]

/** Rounded down to the cent, so that no mail promises more than the balance has. */
const usd = (nanos: Nanos): string => formatUsd(floorToCent(nanos))

const DATE = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
const TIME = { hour: '2-digit', minute: '2-digit' } as const
// Created for each mail: creating one at start would cost 4 ms, which a start without mails does not need.
const inEnglish = (at_ms: number, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', parts).format(at_ms)

/** "29 Nov 2026, 16:00 UTC" */
const exactTime = (at_ms: number): string => `${inEnglish(at_ms, { ...DATE, ...TIME })} UTC`
const day = (at_ms: number): string => inEnglish(at_ms, DATE)
