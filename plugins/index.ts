// The plugins of the gateway, in order, and the types of the applications that they compose.
import type { Plugin } from '../src/app/plugin.ts'
import type { AppOf, ConsoleAppOf } from '../src/app/plugins.ts'
import { absent } from './absent/plugin.ts'
import { accounts } from './accounts/plugin.ts'
import { alerts } from './alerts/plugin.ts'
import { audio } from './audio/plugin.ts'
import { auditLog } from './audit-log/plugin.ts'
import { backups } from './backups/plugin.ts'
import { billing } from './billing/plugin.ts'
import { books } from './books/plugin.ts'
import { calls } from './calls/plugin.ts'
import { catalogue } from './catalogue/plugin.ts'
import { chat } from './chat/plugin.ts'
import { completions } from './completions/plugin.ts'
import { consolePages } from './console/plugin.ts'
import { ownPlugins } from './custom-plugins/plugin.ts'
import { demo } from './demo/plugin.ts'
import { docs } from './docs/plugin.ts'
import { doctor } from './doctor/plugin.ts'
import { embeddings } from './embeddings/plugin.ts'
import { entries } from './entries/plugin.ts'
import { firstSteps } from './first-steps/plugin.ts'
import { health } from './health/plugin.ts'
import { identityProviders } from './identity-providers/plugin.ts'
import { images } from './images/plugin.ts'
import { importing } from './import/plugin.ts'
import { keys } from './keys/plugin.ts'
import { library } from './library/plugin.ts'
import { liveFeed } from './live-feed/plugin.ts'
import { mail } from './mail/plugin.ts'
import { messages } from './messages/plugin.ts'
import { metrics } from './metrics/plugin.ts'
import { models } from './models/plugin.ts'
import { moderations } from './moderations/plugin.ts'
import { moving } from './moving/plugin.ts'
import { native } from './native/plugin.ts'
import { passkeys } from './passkeys/plugin.ts'
import { payments } from './payments/plugin.ts'
import { personalData } from './personal-data/plugin.ts'
import { plans } from './plans/plugin.ts'
import { playground } from './playground/plugin.ts'
import { prices } from './prices/plugin.ts'
import { referral } from './referral/plugin.ts'
import { refusals } from './refusals/plugin.ts'
import { rerank } from './rerank/plugin.ts'
import { responses } from './responses/plugin.ts'
import { signIn } from './sign-in/plugin.ts'
import { signUp } from './sign-up/plugin.ts'
import { site } from './site/plugin.ts'
import { staff } from './staff/plugin.ts'
import { system } from './system/plugin.ts'
import { teams } from './teams/plugin.ts'
import { upgrade } from './upgrade/plugin.ts'
import { upload } from './upload/plugin.ts'
import { usage } from './usage/plugin.ts'
import { vouchers } from './vouchers/plugin.ts'

export const plugins = [
  health,
  native,
  metrics,
  messages,
  responses,
  chat,
  completions,
  models,
  embeddings,
  audio,
  moderations,
  rerank,
  billing,
  plans,
  accounts,
  entries,
  payments,
  vouchers,
  keys,
  personalData,
  signIn,
  passkeys,
  staff,
  signUp,
  referral,
  identityProviders,
  teams,
  calls,
  liveFeed,
  usage,
  catalogue,
  prices,
  books,
  refusals,
  auditLog,
  doctor,
  ownPlugins,
  moving,
  upgrade,
  importing,
  alerts,
  mail,
  backups,
  system,
  playground,
  firstSteps,
  upload,
  images,
  library,
  demo,
  site,
  consolePages,
  docs,
  absent,
] as const satisfies readonly Plugin[]

/** All routes with their types: `treaty<App>(url)` of @elysiajs/eden is a typed client. */
export type App = AppOf<typeof plugins>

/** The routes of the console's pages, with their types. */
export type ConsoleApp = ConsoleAppOf<typeof plugins>
