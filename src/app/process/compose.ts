// The composition of a gateway from its parts.

import { createGate, findKey, findKeyById, type Gate } from '../../access/gate.ts'
import { createLimiter, withSharedCounts } from '../../access/limits.ts'
import { createPasses, type Passes, socketsWithPasses } from '../../access/passes.ts'
import { createPasswords } from '../../access/passwords.ts'
import { accountQueries } from '../../access/queries.ts'
import { createExports, createRate } from '../../access/rate.ts'
import type { RandomBytes } from '../../access/secret.ts'
import { createSessions } from '../../access/sessions.ts'
import { createSignInEvents } from '../../access/sign-in-events.ts'
import { createSignInRate } from '../../access/sign-in-rate.ts'
import { createBodyMemory } from '../../calls/bodies/memory.ts'
import { createMemoryBudget } from '../../calls/bodies/memory-budget.ts'
import { noHooks } from '../../calls/hooks/registered.ts'
import type { ImageParts } from '../../calls/kinds/image/call.ts'
import { createEvents } from '../../calls/life/events.ts'
import { createParser } from '../../calls/parsing/parser.ts'
import type { CallParts } from '../../calls/parts.ts'
import { requestIdAt } from '../../domain/request-id.ts'
import { createWebSockets } from '../../http/web-sockets.ts'
import type { Decoder } from '../../media/decoder.ts'
import { createRemoteFetch } from '../../media/remote.ts'
import type { Logger } from '../../observe/log.ts'
import { redactorOf } from '../../observe/redact.ts'
import { KnownValues } from '../../protocols/wire/known-values.ts'
import type { Db } from '../../store/db.ts'
import { createSharedRate } from '../../store/engines/postgres/rates.ts'
import { createCooldowns } from '../../upstream/cooldowns.ts'
import { createTokens } from '../../upstream/tokens/tokens.ts'
import { createTransport, type Fetch } from '../../upstream/transport.ts'
import { Deadlines } from '../../utilities/deadlines.ts'
import type { Gateway, Operations, Requests } from '../surface/gateway.ts'
import { createCallInside } from '../surface/inside.ts'
import type { Simulator } from './simulator.ts'
import type { Stores } from './stores.ts'
import { sharingGateways } from './sweeps.ts'

/** The maximum length of a provider's refusal that the caller sees. */
const MAX_PUBLIC_MESSAGE_CHARS = 500

/** Six of the largest text bodies, or three together with their upstream requests. */
const BODY_MEMORY_BYTES = 192 * 1024 * 1024
const BODY_WAIT_MS = 60_000
/** The time after which reserved bytes that have not arrived are released for others. */
const BODY_RESERVED_MS = 2_000

/** Bytes of JSON: the tools and history of about eighty agents, which take 22 MB of memory. */
const KNOWN_VALUES_BYTES = 8 * 1024 * 1024

/** One body of the largest size at a time, or several smaller ones. */
const IMAGE_MEMORY_BYTES = 420 * 1024 * 1024
const IMAGE_WAIT_MS = 60_000

interface Parts {
  stores: Stores
  calls: Pick<CallParts, 'running' | 'protocols' | 'catalogue' | 'closed' | 'log' | 'now' | 'probe'>
  requests: Pick<Requests, 'error_answers' | 'sockets'>
  resident_bytes: () => number
  operations: Pick<Operations, 'data_folder' | 'onAudit' | 'postWebhook' | 'configuration' | 'notReady'>
  /** Serves a request by the application, once it exists. */
  serve: (request: Request) => Promise<Response>
  decoder: Decoder
  network: Fetch
  simulator: Simulator
}

export function compose(parts: Parts): Gateway {
  const { stores, decoder, requests } = parts
  const { catalogue, log, now } = parts.calls
  const { engine, db, database, ledger, settlements, idempotency, library, responses } = stores
  const { call_db } = database
  const passes = createPasses()
  const limiter = createLimiter({ now: monotonic_ms })
  const calls: CallParts = {
    ...parts.calls,
    gate: gateOf(call_db, passes, now),
    limiter: engine.is_shared ? withSharedCounts(limiter, call_db) : limiter,
    is_shared: engine.is_shared,
    ledger,
    settlements,
    events: createEvents(log),
    idempotency,
    upstream: upstreamOf(parts),
    bodies: bodiesOf(call_db, log),
    publicWords: (words) => redactorOf(catalogue()).scrub(words).slice(0, MAX_PUBLIC_MESSAGE_CHARS),
  }
  const sign_in_events = createSignInEvents()
  const passwords = createPasswords()
  return {
    calls,
    requests: {
      newRequestId: () => requestIdAt(now()),
      sockets: socketsWithPasses(requests.sockets, passes),
      web_sockets: createWebSockets({ now, resident_bytes: parts.resident_bytes }),
      error_answers: requests.error_answers,
      reads: createRate(monotonic_ms),
    },
    content: { images: imagePartsOf(stores, decoder), responses },
    people: {
      sign_in_ways: [],
      features: [],
      sign_in_events,
      page_sources: [],
      passwords,
      sessions: createSessions({
        db,
        passwords,
        rate: createSignInRate(monotonic_ms),
        events: sign_in_events,
        settings: () => catalogue().console,
        randomBytes,
        now,
        log,
      }),
      page_calls: createRate(monotonic_ms),
      exports: createExports(monotonic_ms),
      callInside: createCallInside(passes, parts.serve),
      randomBytes,
    },
    operations: {
      ...parts.operations,
      gateways: () => sharingGateways(stores),
      database: async () => ({ address: engine.address, ...(await engine.about(db)) }),
      files_bucket: stores.files.bucket?.connection.where,
      filesTrouble: () => (library.isFailing() ? FILES_FAIL : undefined),
      // Its type covers only what calls need. It is the runtime's fetch, or a replacement in tests.
      network: parts.network as Operations['network'],
      ...filledByPlugins(),
    },
    db,
  }
}

type FilledByPlugins =
  | 'checks'
  | 'metrics'
  | 'payment_providers'
  | 'liabilities'
  | 'gifts'
  | 'selling_costs'
  | 'payment_shares'
  | 'console_routes'
  | 'references'

const filledByPlugins = (): Pick<Operations, FilledByPlugins> => ({
  checks: [],
  metrics: [],
  payment_providers: [],
  liabilities: [],
  gifts: [],
  selling_costs: [],
  payment_shares: [],
  console_routes: [],
  references: [],
})

const FILES_FAIL = 'the bucket cannot be read or written'

const monotonic_ms = (): number => performance.now()

const upstreamOf = ({ network, simulator, calls: { now } }: Parts): CallParts['upstream'] => ({
  fetch: createTransport(network, simulator),
  cooldowns: createCooldowns(now),
  deadlines: new Deadlines(),
  tokens: createTokens({ fetch: network, now }),
  now,
  random: Math.random,
})

const bodiesOf = (db: Db, log: Logger): CallParts['bodies'] => ({
  memory: createBodyMemory({
    limit_bytes: BODY_MEMORY_BYTES,
    account_limit_bytes: BODY_MEMORY_BYTES / 2,
    wait_ms: BODY_WAIT_MS,
    reserved_ms: BODY_RESERVED_MS,
  }),
  parser: createParser({ log }),
  hooks: noHooks(),
  known: new KnownValues(KNOWN_VALUES_BYTES),
  accountOf: (id) => accountQueries(db).accountById.get({ id }),
})

const randomBytes: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count))

const gateOf = (db: Db, passes: Passes, now: () => number): Gate =>
  createGate({
    findKey: (sha256) => findKey(db, sha256),
    findPassed(request) {
      const pass = passes.of(request)
      return pass && findKeyById(db, pass.key_id)
    },
    now,
  })

const imagePartsOf = ({ library, database, engine }: Stores, decoder: Decoder): ImageParts => ({
  library,
  decoder,
  fetchImage: createRemoteFetch(),
  rate: engine.is_shared ? createSharedRate(database.call_db) : createRate(monotonic_ms),
  memory: createMemoryBudget({
    limit_bytes: IMAGE_MEMORY_BYTES,
    wait_ms: IMAGE_WAIT_MS,
    // A concurrent collection: a synchronous one would stop all calls for 20 to 90 ms.
    reclaim: () => Bun.gc(false),
  }),
})
