// One measurement: a load on a subject, and what the subject used for it; and rounds of them, taken in turns.
import { join } from 'node:path'
import type { LoadOptions, LoadResult } from './load.ts'
import { cpuMs, forgetPeak, peakMemoryMib, run } from './processes.ts'
import type { Subject } from './subjects.ts'

const LOAD = ['bun', join(import.meta.dir, 'load.ts')]

/**
 * A measuring window: what a subject still does after its last answer counts as part of the load. Neither subject reports
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
 * @throws Error where a call failed: the figures would be of failures
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

/** A load, with what the subject used for it. */
export async function measure(subject: Subject, load: Load): Promise<Sample> {
  const { pid } = subject.process
  forgetPeak(pid)
  const before_ms = cpuMs(pid)
  const result = await loadOn(subject, { ...load, watched_pid: pid })
  await Bun.sleep(AFTERMATH_MS)
  return { ...result, cpu_ms: cpuMs(pid) - before_ms, peak_mib: peakMemoryMib(pid) }
}

/** A subject under a load. */
export interface Contestant {
  readonly subject: Subject
  readonly load: Load
}

/**
 * Measures all contestants in turns (A B C A B C …), so that other load on the machine affects all of them. A first run
 * of each warms it up and does not count.
 * @returns the samples of each, in the order of `contestants`
 */
export async function inTurns(contestants: readonly Contestant[], rounds: number): Promise<Sample[][]> {
  const samples: Sample[][] = contestants.map(() => [])
  for (const { subject, load } of contestants) await loadOn(subject, load)
  for (let round = 0; round < rounds; round++) {
    for (const [index, { subject, load }] of contestants.entries()) {
      samples[index]?.push(await measure(subject, load))
    }
  }
  return samples
}
