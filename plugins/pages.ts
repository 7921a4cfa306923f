// Lists of the console's pages: the groups of the side bar, moved pages, and pages without a session; and the search.
import { account_pages } from './accounts/web/pages.ts'
import { audit_log_pages } from './audit-log/web/pages.ts'
import { call_pages } from './calls/web/pages.ts'
import { catalogue_pages, moved_catalogue } from './catalogue/web/pages.ts'
import type { MovedPage, OpenPageEntry, PageEntry, PageGroup, Search } from './console/web/app/page-entry.ts'
import { health_check_pages, moved_health_check } from './doctor/web/pages.ts'
import { moved_transactions, transaction_pages } from './entries/web/pages.ts'
import { first_steps_pages } from './first-steps/web/pages.ts'
import { returning_pages } from './identity-providers/web/pages.ts'
import { import_pages } from './import/web/pages.ts'
import { key_pages } from './keys/web/pages.ts'
import { library_pages, moved_library } from './library/web/pages.ts'
import { mail_pages } from './mail/web/pages.ts'
import { payment_pages } from './payments/web/pages.ts'
import { plan_pages } from './plans/web/pages.ts'
import { playground_pages } from './playground/web/pages.ts'
import { referral_pages } from './referral/web/pages.ts'
import { settings_pages, open_pages as sign_in_open_pages } from './sign-in/web/pages.ts'
import { sign_up_open_pages, sign_up_pages } from './sign-up/web/pages.ts'
import { incident_pages } from './site/web/pages.ts'
import { staff_pages } from './staff/web/pages.ts'
import { system_pages } from './system/web/pages.ts'
import { join_pages, team_pages } from './teams/web/pages.ts'
import { moved_usage, overview_pages } from './usage/web/pages.ts'
import { voucher_pages } from './vouchers/web/pages.ts'

/** All pages in the order of the side bar. The twelve with an icon are in it; the others belong below one of them. */
export const page_groups: readonly PageGroup[] = [
  {
    title: 'Use',
    pages: [
      ...overview_pages,
      ...first_steps_pages,
      ...call_pages,
      ...import_pages,
      ...playground_pages,
      ...library_pages,
    ],
  },
  {
    title: 'Money',
    pages: [
      ...account_pages,
      ...sign_up_pages,
      ...plan_pages,
      ...voucher_pages,
      ...key_pages,
      ...transaction_pages,
      ...payment_pages,
      ...referral_pages,
      ...team_pages,
    ],
  },
  { title: 'Models', pages: catalogue_pages },
  {
    title: 'Gateway',
    pages: [
      ...audit_log_pages,
      ...system_pages,
      ...staff_pages,
      ...mail_pages,
      ...health_check_pages,
      ...incident_pages,
      ...settings_pages,
    ],
  },
]

export const pages: readonly PageEntry[] = page_groups.flatMap((group) => group.pages)

/** Former addresses of pages, which redirect to the current ones. */
export const moved_pages: readonly MovedPage[] = [
  ...moved_catalogue,
  ...moved_library,
  ...moved_transactions,
  ...moved_health_check,
  ...moved_usage,
]

/** Pages that need no session. */
export const open_pages: readonly OpenPageEntry[] = [
  ...sign_in_open_pages,
  ...sign_up_open_pages,
  ...returning_pages,
  ...join_pages,
]

export { confirmSignIn, signIn } from './sign-in/web/pages.ts'

/** The search that the shortcut `/` opens. */
export const search: Search = async (words) =>
  (await import('./console/web/pages/search.ts')).searchAll(words)
