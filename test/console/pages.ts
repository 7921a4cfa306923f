// Pages of the console with their names, viewers and addresses: for the checks and the pictures of all of them.
import type { Week } from './week.ts'

export type Viewer = 'nobody' | 'operator' | 'alice'

interface ListedPage {
  name: string
  who: Viewer
  address: string | ((week: Week) => string)
}

const lastRefused = ({ gateway }: Week): string => {
  const row = gateway.db
    .query<{ request_id: string }, []>('SELECT request_id FROM refusals ORDER BY id DESC')
    .get()
  return `/console/calls/${row?.request_id}`
}

const lastCall = ({ gateway }: Week): string => {
  const call = gateway.rows().calls.findLast(({ outcome }) => outcome === 'completed')
  return `/console/calls/${call?.request_id}`
}

export const PAGES: readonly ListedPage[] = [
  { name: 'sign-in', who: 'nobody', address: '/console' },
  { name: 'sign-up', who: 'nobody', address: '/console/sign-up' },
  { name: 'setup', who: 'operator', address: '/console/setup' },
  { name: 'overview', who: 'operator', address: '/console' },
  { name: 'calls', who: 'operator', address: '/console/calls' },
  { name: 'refused-request', who: 'operator', address: lastRefused },
  { name: 'call', who: 'operator', address: lastCall },
  { name: 'refused', who: 'operator', address: '/console/calls?outcome=refused' },
  { name: 'accounts', who: 'operator', address: '/console/accounts' },
  { name: 'account', who: 'operator', address: '/console/accounts/bob' },
  { name: 'sign-ups', who: 'operator', address: '/console/sign-ups' },
  { name: 'payments', who: 'operator', address: '/console/payments' },
  { name: 'order', who: 'operator', address: '/console/orders/2' },
  { name: 'plans', who: 'operator', address: '/console/plans' },
  { name: 'plans-revenue', who: 'operator', address: '/console/plans?tab=revenue' },
  { name: 'plan-of', who: 'operator', address: '/console/plans/1' },
  { name: 'vouchers', who: 'operator', address: '/console/vouchers' },
  { name: 'vouchers-each', who: 'operator', address: '/console/vouchers?tab=vouchers' },
  { name: 'referrals', who: 'operator', address: '/console/referrals' },
  { name: 'staff', who: 'operator', address: '/console/system/staff' },
  { name: 'keys', who: 'operator', address: '/console/keys' },
  { name: 'key', who: 'operator', address: '/console/keys/1' },
  { name: 'models', who: 'operator', address: '/console/models' },
  { name: 'model', who: 'operator', address: '/console/models/house-model' },
  { name: 'price-groups', who: 'operator', address: '/console/models/price-groups' },
  { name: 'providers', who: 'operator', address: '/console/providers' },
  { name: 'provider', who: 'operator', address: '/console/providers/attic' },
  { name: 'edit-provider', who: 'operator', address: '/console/providers/attic/edit' },
  { name: 'change-prices', who: 'operator', address: '/console/providers/attic/prices' },
  { name: 'new-provider', who: 'operator', address: '/console/providers/new' },
  { name: 'library', who: 'operator', address: '/console/library' },
  { name: 'playground', who: 'operator', address: '/console/playground' },
  { name: 'uploaded', who: 'operator', address: '/console/library?tab=uploaded' },
  { name: 'configuration', who: 'operator', address: '/console/system/configuration' },
  { name: 'history', who: 'operator', address: '/console/system/configuration/history' },
  { name: 'version', who: 'operator', address: '/console/system/configuration/history/1' },
  { name: 'transactions', who: 'operator', address: '/console/transactions' },
  { name: 'transactions-of', who: 'operator', address: '/console/transactions?account=alice' },
  { name: 'statement', who: 'operator', address: '/console/transactions/statement?account=alice' },
  { name: 'health-check', who: 'operator', address: '/console/system/health-check' },
  { name: 'audit-log', who: 'operator', address: '/console/audit-log' },
  { name: 'system', who: 'operator', address: '/console/system' },
  { name: 'mails', who: 'operator', address: '/console/system/mails' },
  { name: 'incidents', who: 'operator', address: '/console/system/incidents' },
  { name: 'settings', who: 'operator', address: '/console/settings' },
  { name: 'settings-mail', who: 'operator', address: '/console/settings/mail' },
  { name: 'settings-storage', who: 'operator', address: '/console/settings/storage' },
  { name: 'settings-payments', who: 'operator', address: '/console/settings/payments' },
  { name: 'settings-plans', who: 'operator', address: '/console/settings/plans' },
  { name: 'settings-limits', who: 'operator', address: '/console/settings/limits' },
  { name: 'usage', who: 'operator', address: '/console/usage?by=account' },
  { name: 'portal-start', who: 'alice', address: '/console/start' },
  { name: 'portal-overview', who: 'alice', address: '/console' },
  { name: 'portal-calls', who: 'alice', address: '/console/calls' },
  { name: 'portal-team', who: 'alice', address: '/console/team' },
  { name: 'portal-transactions', who: 'alice', address: '/console/transactions' },
  { name: 'portal-payments', who: 'alice', address: '/console/payments' },
  { name: 'portal-add-funds', who: 'alice', address: '/console/add-funds' },
  { name: 'portal-order', who: 'alice', address: '/console/orders/1' },
  { name: 'portal-transfer', who: 'alice', address: '/console/orders/4' },
  { name: 'portal-plan', who: 'alice', address: '/console/plan' },
  { name: 'portal-refer', who: 'alice', address: '/console/refer' },
  { name: 'portal-statement', who: 'alice', address: '/console/transactions/statement' },
  { name: 'portal-usage', who: 'alice', address: '/console/usage' },
  { name: 'portal-keys', who: 'alice', address: '/console/keys' },
  { name: 'portal-models', who: 'alice', address: '/console/models' },
  { name: 'portal-playground', who: 'alice', address: '/console/playground' },
  { name: 'portal-library', who: 'alice', address: '/console/library' },
  { name: 'portal-uploaded', who: 'alice', address: '/console/library?tab=uploaded' },
  { name: 'portal-settings', who: 'alice', address: '/console/settings' },
]

/** The address of a page in a week. */
export const addressOf = (address: ListedPage['address'], week: Week): string =>
  typeof address === 'string' ? address : address(week)
