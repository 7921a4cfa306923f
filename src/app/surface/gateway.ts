// The parts of a running gateway, as plugins are given them.
import type { AnyElysia } from 'elysia'
import type { Passwords } from '../../access/passwords.ts'
import type { Exports, OwnRate } from '../../access/rate.ts'
import type { RandomBytes } from '../../access/secret.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { SignInEvents } from '../../access/sign-in-events.ts'
import type { SignInWay } from '../../access/sign-in-ways.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { ImageParts } from '../../calls/kinds/image/call.ts'
import type { CallParts } from '../../calls/parts.ts'
import type { Configuration } from '../../catalogue/configuration.ts'
import type { ActionContext } from '../../domain/actions.ts'
import type { Nanos } from '../../domain/money.ts'
import type { TimeRange } from '../../domain/ranges.ts'
import type { ServerSockets } from '../../http/sockets.ts'
import type { WebSockets } from '../../http/web-sockets.ts'
import type { PostWebhook } from '../../media/webhook-post.ts'
import type { Share } from '../../money/ledger/operations.ts'
import type { ValueMetric } from '../../observe/metric.ts'
import type { Tally } from '../../observe/tally.ts'
import type { PaymentProvider } from '../../payment-api.ts'
import type { KeptResponses } from '../../responses/store.ts'
import type { Awaitable, Db, Tx } from '../../store/db.ts'
import type { GatewayCheck } from '../checks/check.ts'
import type { AboutDatabase } from '../process/engine/engine.ts'
import type { MadeAudit } from '../process/full-audit.ts'
import type { Reference } from '../reference/operation.ts'
import type { Terms } from './console/terms.ts'
import type { CallInside } from './inside.ts'

/** The parts of a gateway. Each is injected, none is global: several gateways can run in one process. A function asks for the ones it uses. */
export interface Gateway {
  /**
   * The parts that calls share: the gate, limits, the ledger, the catalogue, the log, the clock.
   * `servePaid` for paid calls, `withAdmission` for all others that hold a place.
   */
  calls: CallParts
  /** The parts of every request, and its counts. */
  requests: Requests
  /** Uploads, and content that is made for callers. */
  content: Content
  people: People
  /** Parts for the operator. */
  operations: Operations
  /** For reading; what the console writes goes through `changed` (app/surface/console/calls.ts). Money moves by the ledger only. */
  db: Db
}

export interface Requests {
  /** `req_…`; `calls` makes one for every call. */
  newRequestId: () => string
  /** The sockets of its server, once it listens. */
  sockets: () => ServerSockets | null
  web_sockets: WebSockets
  /** Requests that were answered with an error, by surface and class. */
  error_answers: Tally
  /** The rate of free reads by a key. */
  reads: OwnRate
}

interface Content {
  /** The parts that image calls of all surfaces share: the library of images, their rate, their memory. */
  images: ImageParts
  responses: KeptResponses
}

interface People {
  /** Sessions of the console, and sign-in. */
  sessions: Sessions
  /** What happens to how people sign in, for what tells them. */
  sign_in_events: SignInEvents
  /** Hashing, off the event loop and few at once: the limit is of all who hash. */
  passwords: Passwords
  /** The ways to sign in that plugins add, for the form. Filled at the start, once. */
  sign_in_ways: SignInWay[]
  /** Features that pages offer only where the operator has set them up, as plugins add them. Filled at the start, once. */
  features: Feature[]
  /** The terms of service that new people accept. Set at the start, once; absent: there are none. */
  terms?: TermsOfService
  /** Binds who signs up to whose link they came by. Set at the start, once; absent: there are no referrals. */
  referrals?: Referrals
  /** What single pages without a session load from elsewhere. Filled at the start, once. */
  page_sources: PageSource[]
  /** The rate of requests by the pages of an account. */
  page_calls: OwnRate
  /** The lists that an account exports as CSV. */
  exports: Exports
  /** Serves what a page asks for at a surface's own route, paid by a key that its viewer may use. */
  callInside: CallInside
  randomBytes: RandomBytes
}

export interface Feature {
  /** As the entries of its pages name it. */
  name: string
  /** Reports whether the feature is set up at this moment. */
  isOffered: () => boolean
  /** Reports whether a viewer still has the feature where it is offered no more. */
  isKept?: (viewer: Viewer) => Awaitable<boolean>
}

/** The terms of service, as the plugin has them that keeps who accepted which. */
export interface TermsOfService {
  /** Those in force; undefined where the operator has none. */
  current: () => Terms | undefined
  /**
   * Keeps that a new person accepted those in force, if there are any. In the caller's transaction.
   *
   * @throws GatewayError invalid_request where they were not accepted; conflict where others were
   */
  accept: (tx: Tx, acceptance: Acceptance, by: ActionContext) => Promise<void>
}

/** Referrals, as the plugin has them that keeps who signed up by whose link. */
interface Referrals {
  /** Binds a new account, in the transaction that makes it. What is no code of a link does nothing. */
  bind: (
    tx: Tx,
    referred: { code: string; account_id: number; email: string },
    now_ms: number,
  ) => Promise<void>
}

export interface Acceptance {
  account_id: number
  person_id: number
  /** As they were shown; null where none were accepted. */
  accepted: Terms | null
}

/** A page of the console that loads scripts and frames from elsewhere, as nothing else does. */
interface PageSource {
  /** Below /console/. */
  path: string
  /** `https://…`; none where its content security policy stays as it is. */
  origins: () => readonly string[]
}

export interface Operations {
  /** Where the catalogue is, and the database and the files unless they are elsewhere. */
  data_folder: string
  /** Facts about the database. @throws StorageFailure */
  database: () => Promise<AboutDatabase & { address: string }>
  /** All that share the database and are alive; undefined where this one has it alone. */
  gateways: () => SharingGateways | undefined
  /** Is told each audit that the gateway makes by itself, at its start and each day. */
  onAudit: (listener: (audit: MadeAudit) => void) => void
  /** The catalogue's file: what it says without its secrets, and how it is changed. */
  configuration: Configuration
  /** Why the gateway takes no calls, in words that anybody may read; undefined while it does. */
  notReady: () => string | undefined
  /** The bucket of images, uploads and kept content, as `s3://bucket/prefix`; undefined: they are in the data folder. */
  files_bucket: string | undefined
  /** Why images and uploads are refused, in words that anybody may read; undefined while they are taken. Other calls go on. */
  filesTrouble: () => string | undefined
  /** Posts a message to a public server of the operator's choice. */
  postWebhook: PostWebhook
  /** The network of the gateway's own requests; calls go by `calls.upstream`. */
  network: (url: string, init: RequestInit) => Promise<Response>
  /** The checks of plugins in a running gateway. Filled at the start, once. */
  checks: GatewayCheck[]
  /** The metrics that plugins add. Filled at the start, once. */
  metrics: ValueMetric[]
  /** The payment methods that custom plugins bring. Filled at the start, once. */
  payment_providers: PaymentProvider[]
  /** Credit to other accounts with a payment, in its transaction, as plugins add it. Filled at the start, once. */
  payment_shares: PaymentShares[]
  /** Liabilities of the operator to accounts beside their balances, as plugins add them. Filled at the start, once. */
  liabilities: Liability[]
  /** Gifts of the operator with payments, as plugins add them. Filled at the start, once. */
  gifts: Gift[]
  /** Costs of sales beside providers, as plugins add them. Filled at the start, once. */
  selling_costs: SellingCost[]
  /** Loads the routes that the console's pages ask, of each plugin. Filled at the start, once. */
  console_routes: (() => Promise<AnyElysia | undefined>)[]
  /** Loads the parts of the API reference that plugins have. Filled at the start, once. */
  references: (() => Promise<Reference>)[]
}

/** Value that accounts have paid for and not got yet, such as vouchers that nobody has redeemed. */
interface Liability {
  /** A noun for its line: `Unused vouchers`. */
  title: string
  read: (db: Db, now_ms: number) => Awaitable<Nanos>
}

/** Credits that nobody paid for, without what was taken back of them. */
interface Gift {
  /** A noun for its line: `Referral shares`. */
  title: string
  read: (db: Db, period: { since_ms: number; until_ms: number }) => Promise<Nanos>
  /** The amount that came with a payment to its payer; absent: as below. */
  brought?: (db: Db, payment: { id: number; account_id: number }) => Promise<Nanos>
  /** The amount that leaves the payer's balance of it, once so much of a payment has gone back; absent: no payer has any. */
  returned?: (
    db: Db,
    payment: { id: number; account_id: number; amount_minor: number; gone_minor: number },
  ) => Promise<Nanos>
}

/** Costs of the sales of some time beside providers, such as payment fees. */
interface SellingCost {
  /** @returns `unknown`: the sales whose cost is not known, which is none of the amount */
  read: (
    db: Db,
    time: TimeRange & { account_id: number | undefined },
  ) => Promise<{ amount_nanos: Nanos; unknown: number }>
}

/** Credits that go with a payment that is credited now. */
export type PaymentShares = (order: {
  id: number
  account_id: number
  credit_nanos: Nanos
}) => Promise<readonly Share[]>

export interface SharingGateways {
  /** How far the clock of the database, which all go by, is ahead of this machine's. */
  clock_ahead_ms: number
  /** In the order of their starts. */
  alive: readonly SharingGateway[]
}

export interface SharingGateway {
  id: number
  /** Its machine. */
  name: string
  version: string
  started_at_ms: number
  seen_at_ms: number
  is_this: boolean
}
