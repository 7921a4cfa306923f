// The parts of a running gateway, as plugins receive them.
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

/** The parts of a gateway. They are injected, not global: several gateways can run in one process. A function takes only the parts it uses. */
export interface Gateway {
  /**
   * The parts shared by calls: the gate, limits, the ledger, the catalogue, the log, the clock.
   * Paid calls use `servePaid`; other calls that count as running use `withAdmission`.
   */
  calls: CallParts
  /** The parts shared by all requests, with their counters. */
  requests: Requests
  /** Uploads, and content generated for callers. */
  content: Content
  people: People
  /** Parts for the operator. */
  operations: Operations
  /** For reading; the console writes through `changed` (app/surface/console/calls.ts). Only the ledger moves money. */
  db: Db
}

export interface Requests {
  /** Creates a request ID, `req_…`. `calls` gives one to every call. */
  newRequestId: () => string
  /** The sockets of the server; null until it listens. */
  sockets: () => ServerSockets | null
  web_sockets: WebSockets
  /** Counts error answers by surface and class. */
  error_answers: Tally
  /** The rate limit of free requests by key. */
  reads: OwnRate
}

interface Content {
  /** The parts shared by image calls of all surfaces: the library, rate limit and memory budget. */
  images: ImageParts
  responses: KeptResponses
}

interface People {
  /** Console sessions and sign-in. */
  sessions: Sessions
  /** Events about people's sign-in, for notices to them. */
  sign_in_events: SignInEvents
  /** Password hashing, off the event loop, with one limit of concurrent hashes for all users of it. */
  passwords: Passwords
  /** Sign-in methods of plugins, for the form. Filled once, at the start. */
  sign_in_ways: SignInWay[]
  /** Features of plugins that pages offer only if the operator has set them up. Filled once, at the start. */
  features: Feature[]
  /** The terms of service that new people accept, if any. Set once, at the start. */
  terms?: TermsOfService
  /** Referrals of new accounts, if enabled. Set once, at the start. */
  referrals?: Referrals
  /** External sources that single public pages load. Filled once, at the start. */
  page_sources: PageSource[]
  /** The rate limit of page requests by account. */
  page_calls: OwnRate
  /** The limit of an account's CSV exports. */
  exports: Exports
  /** Serves a page's call at a surface's own route, paid by a key that the viewer may use. */
  callInside: CallInside
  randomBytes: RandomBytes
}

export interface Feature {
  /** The name in the entries of its pages. */
  name: string
  /** Whether the feature is set up now. */
  isOffered: () => boolean
  /** Whether a viewer still has the feature after it is no longer offered. */
  isKept?: (viewer: Viewer) => Awaitable<boolean>
}

/** The terms of service, of the plugin that records acceptances. */
export interface TermsOfService {
  /** The terms in force, if any. */
  current: () => Terms | undefined
  /**
   * Records a new person's acceptance of the terms in force, if any, in the caller's transaction.
   *
   * @throws GatewayError invalid_request if they were not accepted; conflict if another version was
   */
  accept: (tx: Tx, acceptance: Acceptance, by: ActionContext) => Promise<void>
}

/** Referrals, of the plugin that records them. */
interface Referrals {
  /** Records the referrer of a new account, in the transaction that creates it. An unknown code has no effect. */
  bind: (
    tx: Tx,
    referred: { code: string; account_id: number; email: string },
    now_ms: number,
  ) => Promise<void>
}

export interface Acceptance {
  account_id: number
  person_id: number
  /** The terms that the page showed; null if none were accepted. */
  accepted: Terms | null
}

/** A console page that loads scripts and frames from other origins; no other page may. */
interface PageSource {
  /** The path below /console/. */
  path: string
  /** Origins to add to its content security policy: `https://…`. */
  origins: () => readonly string[]
}

export interface Operations {
  /** The folder of the catalogue, and of the database and the files unless [storage] names other places. */
  data_folder: string
  /** Reads facts about the database. @throws StorageFailure */
  database: () => Promise<AboutDatabase & { address: string }>
  /** Returns the live gateways of the database; undefined if only this one can use it. */
  gateways: () => SharingGateways | undefined
  /** Registers a listener to the gateway's own audits, at its start and each day. */
  onAudit: (listener: (audit: MadeAudit) => void) => void
  /** Reads the catalogue's text without its secrets, and changes it. */
  configuration: Configuration
  /** Returns the reason why the gateway refuses calls, in words for the public; undefined if it accepts them. */
  notReady: () => string | undefined
  /** The bucket of images, uploads and kept content, as `s3://bucket/prefix`; undefined if they are in the data folder. */
  files_bucket: string | undefined
  /** Returns the reason why images and uploads are refused, in words for the public; undefined if they are accepted. */
  filesTrouble: () => string | undefined
  /** Posts a message to a public server that the operator names. */
  postWebhook: PostWebhook
  /** The network for the gateway's own requests; calls use `calls.upstream`. */
  network: (url: string, init: RequestInit) => Promise<Response>
  /** Checks of plugins in a running gateway. Filled once, at the start. */
  checks: GatewayCheck[]
  /** Metrics of plugins. Filled once, at the start. */
  metrics: ValueMetric[]
  /** Payment methods of custom plugins. Filled once, at the start. */
  payment_providers: PaymentProvider[]
  /** Credits of plugins to other accounts, in the transaction of a payment. Filled once, at the start. */
  payment_shares: PaymentShares[]
  /** The operator's liabilities to accounts besides their balances, of plugins. Filled once, at the start. */
  liabilities: Liability[]
  /** Credits that come with payments as gifts, of plugins. Filled once, at the start. */
  gifts: Gift[]
  /** Costs of sales besides providers, of plugins. Filled once, at the start. */
  selling_costs: SellingCost[]
  /** Loaders of the plugins' console routes. Filled once, at the start. */
  console_routes: (() => Promise<AnyElysia | undefined>)[]
  /** Loaders of the plugins' parts of the API reference. Filled once, at the start. */
  references: (() => Promise<Reference>)[]
}

/** Value that accounts have paid for and not received yet, such as unredeemed vouchers. */
interface Liability {
  /** A noun for its line: `Unused vouchers`. */
  title: string
  read: (db: Db, now_ms: number) => Awaitable<Nanos>
}

/** Credits that were not paid for, net of reversals. */
interface Gift {
  /** A noun for its line: `Referral shares`. */
  title: string
  read: (db: Db, period: { since_ms: number; until_ms: number }) => Promise<Nanos>
  /** Returns the amount that the payer received with a payment; none if absent. */
  brought?: (db: Db, payment: { id: number; account_id: number }) => Promise<Nanos>
  /** Returns the part that a refund takes back from the payer's balance, by the refunded amount in all; none if absent. */
  returned?: (
    db: Db,
    payment: { id: number; account_id: number; amount_minor: number; gone_minor: number },
  ) => Promise<Nanos>
}

/** Costs of sales in a period besides providers, such as payment fees. */
interface SellingCost {
  /** @returns `unknown`: the number of sales with an unknown cost, not included in the amount */
  read: (
    db: Db,
    time: TimeRange & { account_id: number | undefined },
  ) => Promise<{ amount_nanos: Nanos; unknown: number }>
}

/** Returns the credits to other accounts for a payment that is being credited. */
export type PaymentShares = (order: {
  id: number
  account_id: number
  credit_nanos: Nanos
}) => Promise<readonly Share[]>

export interface SharingGateways {
  /** The database's clock, which all gateways use, minus this machine's. */
  clock_ahead_ms: number
  /** The oldest first. */
  alive: readonly SharingGateway[]
}

export interface SharingGateway {
  id: number
  /** The name of its machine. */
  name: string
  version: string
  started_at_ms: number
  seen_at_ms: number
  is_this: boolean
}
