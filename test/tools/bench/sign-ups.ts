// The table of sign-ups: paid calls at a steady rate, with and without a thousand strangers a minute who sign up at the same gateway.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import type { Bench } from './contest.ts'
import { type Load, loadOn, measure, type Sample } from './measure.ts'
import { run } from './processes.ts'
import { alignedText, median, medianOf } from './report.ts'
import { WHOLE_REQUEST } from './requests.ts'
import type { StrangersOptions, StrangersResult } from './strangers.ts'
import { makeDataFolder, type Subject, sourceOf, startGateway } from './subjects.ts'

const PER_MINUTE = 1_000
const ROUND_MS = 20_000
/** The strangers begin before the calls that are measured, and end after them. */
const MARGIN_MS = 3_000
/** Sixteen callers, each ten times a second at most: some 140 calls a second, far below what a gateway can do. */
const CALLERS = 16
const PAUSE_MS = 100
const CALLS_PER_S = CALLERS / ((PAUSE_MS + 10) / 1_000)

const PAID: Load = {
  request: WHOLE_REQUEST,
  connections: CALLERS,
  calls: Math.round((CALLS_PER_S * ROUND_MS) / 1_000),
  pause_ms: PAUSE_MS,
  ramp_ms: PAUSE_MS,
}

/** The load beside the calls. The others are compared with the first. */
const BESIDE = [
  { name: 'nobody signs up', strangers: undefined },
  { name: `${PER_MINUTE} a minute, up to the mail`, strangers: { finish: false } },
  { name: `${PER_MINUTE} a minute, with password and account`, strangers: { finish: true } },
] as const

interface Round {
  readonly calls: Sample
  readonly strangers: StrangersResult | undefined
  readonly load_average: number
}

/**
 * @param say receives messages about the progress
 * @throws Error if calls or sign-ups fail, since the figures would be of failures
 */
export async function signUpsTable({ checkout, upstream, effort }: Bench, say: (text: string) => void) {
  if (checkout === undefined) throw new Error('--sign-ups: a forwarder has none; leave --self out')
  const smtp_port = freePort()
  const data = await makeDataFolder(sourceOf(checkout), upstream.port, SERVER, sectionsOf(smtp_port))
  await using stack = new AsyncDisposableStack()
  stack.defer(data.remove)
  const gateway = await startGateway(data)
  stack.defer(gateway.process.stop)
  say('warming up')
  await loadOn(gateway, { request: WHOLE_REQUEST, connections: CALLERS, calls: effort.warm_up.calls })
  await signUp(gateway, { smtp_port, finish: true, for_ms: MARGIN_MS })
  const rounds = BESIDE.map((): Round[] => [])
  for (let round = 0; round < effort.rounds; round++) {
    say(`measuring: round ${round + 1} of ${effort.rounds}`)
    const turns = [...BESIDE.entries()]
    for (const [at, { strangers }] of round % 2 ? turns.toReversed() : turns)
      rounds[at]?.push(await roundOf(gateway, strangers && { smtp_port, ...strangers }))
  }
  return tableOf(rounds)
}

const SERVER = 'public_url = "https://gateway.example.com"\ntrusted_proxies = ["127.0.0.1"]'

/** No limit and no challenge: this machine would do a browser's second of work. */
const sectionsOf = (smtp_port: number): string =>
  `[mail]\nsmtp = "smtp://127.0.0.1:${smtp_port}"\nfrom = "Bench <noreply@example.com>"\n` +
  '[sign_up]\nmode = "open"\nchallenge = "none"\nper_address_per_day = 0\nper_domain_per_day = 0\nmails_per_hour = 0\n'

async function roundOf(
  gateway: Subject,
  beside: { smtp_port: number; finish: boolean } | undefined,
): Promise<Round> {
  const signing_up = beside && signUp(gateway, { ...beside, for_ms: ROUND_MS + 2 * MARGIN_MS })
  if (signing_up) await Bun.sleep(MARGIN_MS)
  const calls = await measure(gateway, PAID)
  const load_average = loadavg()[0] ?? Number.NaN
  return { calls, strangers: await signing_up, load_average }
}

async function signUp(
  { port }: Subject,
  options: Pick<StrangersOptions, 'smtp_port' | 'finish' | 'for_ms'>,
): Promise<StrangersResult> {
  const all: StrangersOptions = { port, per_minute: PER_MINUTE, ...options }
  const program = ['bun', join(import.meta.dir, 'strangers.ts')]
  const result = JSON.parse(await run(program, {}, JSON.stringify(all))) as StrangersResult
  if (result.first_failure !== '') throw new Error(`a sign-up failed: ${result.first_failure}`)
  return result
}

const HEAD = [
  'beside the calls',
  'calls/s',
  'p50 ms',
  'p99 ms',
  'CPU %',
  'us a call',
  'sign-ups',
  'mails',
  'accounts',
  'refused',
  'form p99 ms',
  'load',
]

/** The CPU time of the gateway's process, all threads, in per cent of one core. */
const cpuShare = ({ calls }: Round): number => (calls.cpu_ms / calls.duration_ms) * 100

function tableOf(rounds: readonly Round[][]): string {
  const [calm = []] = rounds
  const rows = rounds.map((some, at) => {
    const of = (field: (round: Round) => number, decimals = 0) => medianOf(some, field).toFixed(decimals)
    const strangers = (field: (result: StrangersResult) => number) =>
      some[0]?.strangers ? of((round) => (round.strangers ? field(round.strangers) : 0)) : '-'
    return [
      BESIDE[at]?.name ?? '',
      of(({ calls }) => (calls.calls * 1_000) / calls.duration_ms),
      of(({ calls }) => calls.latency_ms.p50, 2),
      of(({ calls }) => calls.latency_ms.p99, 2),
      of(cpuShare, 1),
      of(({ calls }) => (calls.cpu_ms * 1_000) / calls.calls),
      strangers(({ accepted }) => accepted),
      strangers(({ mails }) => mails),
      strangers(({ accounts }) => accounts),
      strangers(({ refused }) => refused),
      strangers(({ answer_ms }) => answer_ms.p99),
      of(({ load_average }) => load_average, 2),
    ]
  })
  const pairs = rounds.slice(1).map((some, at) => {
    const added = (field: (round: Round) => number) =>
      median(some.map((round, nth) => field(round) - field(calm[nth] ?? round)))
    const p50 = added(({ calls }) => calls.latency_ms.p50).toFixed(2)
    const p99 = added(({ calls }) => calls.latency_ms.p99).toFixed(2)
    return `${BESIDE[at + 1]?.name}: a call's p50 ${p50} ms and p99 ${p99} ms more, ${added(cpuShare).toFixed(1)} % of a core more.`
  })
  const cost =
    'CPU % and us a call are of the whole gateway, sign-ups included; differences are medians of each round’s own.'
  return [alignedText([HEAD, ...rows], new Set([0])), ...pairs, cost].join('\n')
}
