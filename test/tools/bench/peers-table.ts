// The table of the peers: the forwarder, this gateway and others, under loads that all of them understand.
import { type Bench, withContest } from './contest.ts'
import { cpuMicrosPerCall, cpuMicrosPerEvent, type Load, loadOn, measure, type Sample } from './measure.ts'
import { PEERS, startPeer } from './peers.ts'
import { alignedText, medianOf } from './report.ts'
import { type CallRequest, CHAT_MODEL, CHAT_REQUEST, chatModel, forwardedChatStream } from './requests.ts'
import type { Subject } from './subjects.ts'

/** Peers differ by a hundred times: each gets as many calls as it answers in this time. */
const ROUND_MS = 4_000
const PROBE_CALLS = 100
const MAX_CALLS = 24_000
const CONNECTIONS = [16, 64] as const

interface Contestant {
  readonly subject: Subject
  readonly headers: Record<string, string>
}

/** One contestant's figures; failed ones are missing. */
interface Row {
  readonly name: string
  readonly whole: readonly (Sample[] | undefined)[]
  readonly streams: Sample[] | undefined
  /** The reason for missing figures. */
  readonly absent?: string
}

const withHeaders = (request: CallRequest, headers: Record<string, string>): CallRequest => ({
  ...request,
  key_header: 'Authorization',
  headers: { ...request.headers, ...headers },
})

/** @returns undefined after a failed call, which is reported */
async function roundsOf(
  subject: Subject,
  load: Load,
  rounds: number,
  say: (text: string) => void,
): Promise<Sample[] | undefined> {
  try {
    await loadOn(subject, load)
    const samples: Sample[] = []
    for (let round = 0; round < rounds; round++) samples.push(await measure(subject, load))
    return samples
  } catch (failure) {
    say(String(failure))
    return undefined
  }
}

async function rowOf(
  { subject, headers }: Contestant,
  { effort }: Bench,
  say: (text: string) => void,
): Promise<Row> {
  const whole: (Sample[] | undefined)[] = []
  for (const connections of CONNECTIONS) {
    const request = withHeaders(CHAT_REQUEST, headers)
    const probe = await loadOn(subject, { request, connections, calls: PROBE_CALLS })
    const calls = Math.min(Math.ceil((PROBE_CALLS * ROUND_MS) / probe.duration_ms), MAX_CALLS)
    whole.push(await roundsOf(subject, { request, connections, calls }, effort.rounds, say))
  }
  const request = withHeaders(forwardedChatStream(effort.streams.few), headers)
  const streams = { request, connections: 64, calls: 64, ramp_ms: 200 }
  return { name: subject.name, whole, streams: await roundsOf(subject, streams, effort.rounds, say) }
}

/**
 * CPU of the process per call and per event, each over the forwarder's.
 * @param cache the folder that peers are installed into
 */
export async function peersTable(bench: Bench, cache: string, say: (text: string) => void): Promise<string> {
  const rows = await withContest(bench, async ({ gateway, before, forwarder }) => {
    const own: Row[] = []
    for (const subject of [forwarder, gateway, ...(before ? [{ ...before, name: 'gateway before' }] : [])]) {
      say(`measuring: ${subject.name}`)
      own.push(
        await rowOf(
          { subject: { ...subject, api_key: `Bearer ${subject.api_key}` }, headers: {} },
          bench,
          say,
        ),
      )
    }
    return own
  })
  for (const peer of PEERS) {
    say(`measuring: ${peer.name}`)
    try {
      const models = [CHAT_MODEL, chatModel(bench.effort.streams.few)]
      await using started = await startPeer(peer, cache, bench.upstream.port, models)
      rows.push(await rowOf(started, bench, say))
    } catch (failure) {
      const absent = failure instanceof Error ? (failure.message.split('\n')[0] ?? '') : String(failure)
      rows.push({ name: peer.name, whole: [], streams: undefined, absent })
    }
  }
  return alignedText([HEAD, ...rows.map((row) => cellsOf(row, rows[0]))], new Set([0]))
}

const HEAD = ['', 'CPU a call, 16', '64', 'calls/s, 64', 'CPU an event', 'first byte ms', 'MiB']

function cellsOf({ name, whole, streams, absent }: Row, forwarder: Row | undefined): string[] {
  if (absent !== undefined) return [`${name}: not measured: ${absent}`, '', '', '', '', '', '']
  const over = (
    samples: Sample[] | undefined,
    bare: Sample[] | undefined,
    cost: (sample: Sample) => number,
  ): string => (samples && bare ? (medianOf(samples, cost) / medianOf(bare, cost)).toFixed(1) : 'failed')
  const of = (samples: Sample[] | undefined, field: (sample: Sample) => number, decimals = 0): string =>
    samples ? medianOf(samples, field).toFixed(decimals) : 'failed'
  return [
    name,
    over(whole[0], forwarder?.whole[0], cpuMicrosPerCall),
    over(whole[1], forwarder?.whole[1], cpuMicrosPerCall),
    of(whole[1], ({ calls, duration_ms }) => (calls * 1_000) / duration_ms),
    over(streams, forwarder?.streams, cpuMicrosPerEvent),
    of(streams, (sample) => sample.first_byte_ms.p50, 1),
    of(whole[1], (sample) => sample.peak_mib),
  ]
}
