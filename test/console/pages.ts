// The pages of the console by what they are called, who sees them and where they are: for the checks and the pictures of all of them.
import type { Week } from './week.ts'

export type Listed = 'nobody' | 'operator' | 'alice'

interface ListedPage {
  name: string
  who: Listed
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
  { name: 'setup', who: 'operator', address: '/console/setup' },
  { name: 'overview', who: 'operator', address: '/console' },
  { name: 'calls', who: 'operator', address: '/console/calls' },
  { name: 'refused-request', who: 'operator', address: lastRefused },
  { name: 'call', who: 'operator', address: lastCall },
  { name: 'refused', who: 'operator', address: '/console/calls?outcome=refused' },
  { name: 'accounts', who: 'operator', address: '/console/accounts' },
  { name: 'account', who: 'operator', address: '/console/accounts/bob' },
  { name: 'keys', who: 'operator', address: '/console/keys' },
  { name: 'key', who: 'operator', address: '/console/keys/1' },
  { name: 'models', who: 'operator', address: '/console/models' },
  { name: 'model', who: 'operator', address: '/console/models/house-model' },
  { name: 'providers', who: 'operator', address: '/console/providers' },
  { name: 'provider', who: 'operator', address: '/console/providers/attic' },
  { name: 'new-provider', who: 'operator', address: '/console/providers/new' },
  { name: 'images', who: 'operator', address: '/console/images' },
  { name: 'playground', who: 'operator', address: '/console/playground' },
  { name: 'files', who: 'operator', address: '/console/files' },
  { name: 'catalogue', who: 'operator', address: '/console/catalogue' },
  { name: 'history', who: 'operator', address: '/console/catalogue/history' },
  { name: 'version', who: 'operator', address: '/console/catalogue/history/1' },
  { name: 'entries', who: 'operator', address: '/console/entries' },
  { name: 'statement', who: 'operator', address: '/console/entries/statement?account=alice' },
  { name: 'books', who: 'operator', address: '/console/books' },
  { name: 'audit-log', who: 'operator', address: '/console/audit-log' },
  { name: 'system', who: 'operator', address: '/console/system' },
  { name: 'settings', who: 'operator', address: '/console/settings' },
  { name: 'portal-start', who: 'alice', address: '/console/start' },
  { name: 'portal-overview', who: 'alice', address: '/console' },
  { name: 'portal-calls', who: 'alice', address: '/console/calls' },
  { name: 'usage', who: 'operator', address: '/console/usage?by=account' },
  { name: 'portal-entries', who: 'alice', address: '/console/entries' },
  { name: 'portal-statement', who: 'alice', address: '/console/entries/statement' },
  { name: 'portal-usage', who: 'alice', address: '/console/usage' },
  { name: 'portal-keys', who: 'alice', address: '/console/keys' },
  { name: 'portal-models', who: 'alice', address: '/console/models' },
  { name: 'portal-playground', who: 'alice', address: '/console/playground' },
  { name: 'portal-images', who: 'alice', address: '/console/images' },
  { name: 'portal-files', who: 'alice', address: '/console/files' },
  { name: 'portal-settings', who: 'alice', address: '/console/settings' },
]

/** The address of a page in a week. */
export const addressOf = (address: ListedPage['address'], week: Week): string =>
  typeof address === 'string' ? address : address(week)
