// One measurement: a load on a subject, and the CPU and memory that the subject used; and rounds of them, taken in turns.
import { join } from 'node:path'
import type { LoadOptions, LoadResult } from './load.ts'
import { cpuMs, forgetPeak, peakMemoryMib, run } from './processes.ts'
import type { Subject } from './subjects.ts'

const LOAD = ['bun', join(import.meta.dir, 'load.ts')]

/**
 * A measuring window: a subject's work after its last answer counts as part of the load. Neither subject reports
 * when it is done, so both get the same time.
 */
const AFTERMATH_MS = 100

export type Load = Pick<LoadOptions, 'request' | 'connections' | 'calls'> & Partial<LoadOptions>

export interface Sample extends LoadResult {
  /** CPU time of the subject's process, all threads. */
  readonly cpu_ms: number
  readonly peak_mib: number
}

/** The CPU time of a call, from its start until it is settled. */
export const cpuMicrosPerCall = ({ cpu_ms, calls }: Sample): number => (cpu_ms * 1_000) / calls

/** The CPU time of an event, without the beginnings and ends of calls; NaN if the streams never all flowed at once. */
export const cpuMicrosPerEvent = ({ steady }: Sample): number =>
  steady && steady.events > 0 ? (steady.cpu_ms * 1_000) / steady.events : Number.NaN

/**
 * Puts a load on a subject from a process of its own.
 * @throws Error if a call failed, since the figures would be of failures
 */
export async function loadOn(subject: Subject, load: Load): Promise<LoadResult> {
  const options: LoadOptions = {
    pause_ms: 0,
    ramp_ms: 0,
    ...load,
    port: subject.port,
    api_key: subject.api_key,
  }
  const result = JSON.parse(await run(LOAD, {}, JSON.stringify(options))) as LoadResult
  if (result.failures > 0) throw new Error(`${subject.name} failed a call: ${result.first_failure}`)
  return result
}

/** Puts a load on a subject, and measures its CPU and memory. */
export async function measure(subject: Subject, load: Load): Promise<Sample> {
  const { pid } = subject.process
  forgetPeak(pid)
  const before_ms = cpuMs(pid)
  const result = await loadOn(subject, { ...load, watched_pid: pid })
  await Bun.sleep(AFTERMATH_MS)
  return { ...result, cpu_ms: cpuMs(pid) - before_ms, peak_mib: peakMemoryMib(pid) }
}

/** The gateway, that of another checkout where two are compared, and the bare forwarder. */
export interface Contest {
  readonly gateway: Subject
  readonly before?: Subject | undefined
  readonly forwarder: Subject
}

/** The load on the subjects of a contest. */
interface ContestLoad {
  readonly load: Load
  /** The forwarder's load, if it differs: it cannot translate. */
  readonly bare_load?: Load | undefined
}

/** One value for each subject of a contest. */
interface PerSubject<T> {
  readonly gateway: T
  readonly before?: T | undefined
  readonly forwarder: T
}

/** Puts a load on each subject, so that its one-time costs are over: compiled code, connections, memory. */
export async function warmUp(contest: Contest, { load, bare_load = load }: ContestLoad): Promise<void> {
  for (const subject of [contest.gateway, contest.before]) if (subject) await loadOn(subject, load)
  await loadOn(contest.forwarder, bare_load)
}

/**
 * Measures all subjects under all loads in turns, every other round in the opposite order, so that a change of the
 * machine affects all of them.
 * @returns the samples under each load, in the order of `loads`
 */
export async function inTurns(
  { gateway, before, forwarder }: Contest,
  loads: readonly ContestLoad[],
  rounds: number,
): Promise<PerSubject<Sample[]>[]> {
  const samples = loads.map(() => ({
    gateway: [] as Sample[],
    before: before && ([] as Sample[]),
    forwarder: [] as Sample[],
  }))
  const turns = loads.flatMap(({ load, bare_load = load }, index) => [
    { subject: gateway, load, into: samples[index]?.gateway },
    ...(before ? [{ subject: before, load, into: samples[index]?.before }] : []),
    { subject: forwarder, load: bare_load, into: samples[index]?.forwarder },
  ])
  for (let round = 0; round < rounds; round++) {
    for (const { subject, load, into } of round % 2 ? turns.toReversed() : turns) {
      into?.push(await measure(subject, load))
    }
  }
  return samples
}

/** A field of all samples of a contest. */
export const each = <T, U>(
  { gateway, before, forwarder }: PerSubject<readonly T[]>,
  field: (sample: T) => U,
): PerSubject<U[]> => ({
  gateway: gateway.map(field),
  before: before?.map(field),
  forwarder: forwarder.map(field),
})
