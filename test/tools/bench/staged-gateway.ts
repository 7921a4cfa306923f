// A gateway in which one stage of its calls is replaced by one that costs next to nothing: a process of its own.

import { plugins } from '../../../plugins/index.ts'
import { type ServeOptions, startGateway } from '../../../src/app/process/serve.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { type RunningCall, RunningCalls } from '../../../src/calls/life/running.ts'
import type { CallParts } from '../../../src/calls/parts.ts'
import type { Submitted } from '../../../src/money/ledger/operations.ts'
import { createLogger, type ProcessLogger, standardOutput } from '../../../src/observe/log.ts'
import type { Deadlines } from '../../../src/utilities/deadlines.ts'
import { PlainSignal } from '../../../src/utilities/plain-signal.ts'
import { pluginsOver } from '../../support/plugins.ts'
import { GEMINI_WHOLE } from './recording.ts'
import type { StageName } from './stages.ts'

/** The replacement of a stage: an option of the start, a part of the gateway that surfaces get, or a global of the runtime. */
interface Stub {
  readonly options?: Partial<ServeOptions>
  readonly gateway?: (gateway: Gateway) => Gateway
  readonly runtime?: () => void
}

const nothing = (): void => {}

const QUIET: ProcessLogger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  quoted: JSON.stringify,
  infoText: nothing,
  setLevel: nothing,
  setSecrets: nothing,
  flush: nothing,
}

const withParts = (gateway: Gateway, parts: Partial<Gateway['calls']>): Gateway => ({
  ...gateway,
  calls: { ...gateway.calls, ...parts },
})

/** Repeats the first result, since all calls of the load are the same. */
function remember<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  let first: { result: R } | undefined
  return (...args) => {
    first ??= { result: work(...args) }
    return first.result
  }
}

/** Parses each text once, since the result is only read. */
function parseOnce(parse: typeof JSON.parse): typeof JSON.parse {
  const known = new Map<string, unknown>()
  return (text, reviver) => {
    if (reviver) return parse(text, reviver)
    if (!known.has(text)) known.set(text, parse(text))
    return known.get(text)
  }
}

const ANSWER = Buffer.from(GEMINI_WHOLE)
const ANSWER_HEADERS = { 'content-type': 'application/json', 'content-length': String(ANSWER.length) }
/** A signal that nothing ever aborts costs nothing to listen to. */
const NEVER = {
  aborted: false,
  reason: undefined,
  addEventListener: nothing,
  removeEventListener: nothing,
  throwIfAborted: nothing,
}

const STUBS: Record<StageName, Stub> = {
  'nothing left out': {},
  'the network: an upstream in the process': {
    options: { network: async () => new Response(ANSWER, { headers: ANSWER_HEADERS }) },
  },
  'the ledger: it grants and forgets': {
    gateway: (gateway) => withParts(gateway, { ledger: forgetfulLedger(gateway.calls.ledger) }),
  },
  'the log': { options: { log: QUIET } },
  'the gate and the limits': {
    gateway: (gateway) => {
      const { gate, limiter } = gateway.calls
      const admitted = {
        gate: { admit: remember(gate.admit) },
        limiter: { ...limiter, admit: remember(limiter.admit) },
      }
      return withParts(gateway, admitted)
    },
  },
  "the place among calls, the caller's signal": {
    gateway: (gateway) => withParts(gateway, { running: placeless(gateway.calls.running) }),
  },
  'the time-outs': {
    gateway: (gateway) => {
      const deadlines: Pick<Deadlines, 'set' | 'clear'> = { set: nothing, clear: nothing }
      const upstream = { ...gateway.calls.upstream, deadlines: deadlines as Deadlines }
      return withParts(gateway, { upstream })
    },
  },
  'abort controllers': {
    // Only together with the network, which refuses an invalid signal.
    options: { network: async () => new Response(ANSWER, { headers: ANSWER_HEADERS }) },
    runtime: () => {
      class Inert {
        readonly signal = NEVER
        abort(): void {}
      }
      Object.assign(globalThis, { AbortController: Inert })
    },
  },
  'JSON.parse': {
    runtime: () => {
      JSON.parse = parseOnce(JSON.parse)
    },
  },
}

function forgetfulLedger(ledger: CallParts['ledger']): CallParts['ledger'] {
  let hold_id = 0
  const submit: CallParts['ledger']['submit'] = (operation) => {
    const outcome =
      operation.op === 'hold'
        ? { ok: true, hold_id: ++hold_id, held_nanos: operation.amount_nanos }
        : { ok: true, charged_nanos: 0, unpaid_nanos: 0, returned_nanos: 0 }
    return (operation.op === 'hold' ? outcome : Promise.resolve(outcome)) as Submitted<typeof operation>
  }
  return {
    failing: undefined,
    unwritten: new Map(),
    submit,
    barrier: async () => {},
    close: () => ledger.close(),
  }
}

function placeless({ options }: CallParts['running']): CallParts['running'] {
  const place: Partial<RunningCall> = {
    gone: new PlainSignal(),
    progressed: nothing,
    watchSilence: nothing,
    done: nothing,
  }
  const running = new RunningCalls(options)
  running.enter = () => place as RunningCall
  return running
}

const [data_folder = '', stage = 'nothing left out'] = process.argv.slice(2)
const stub = STUBS[stage as StageName]
stub.runtime?.()
await startGateway({
  data_folder,
  plugins: pluginsOver(plugins, (gateway) => stub.gateway?.(gateway) ?? gateway),
  log: createLogger({
    level: 'info',
    secrets: [],
    destination: standardOutput(),
    now: Date.now,
    gather_ms: 100,
  }),
  env: process.env,
  ...stub.options,
})
