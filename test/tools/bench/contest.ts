// A contest: the gateways and the forwarder of one part of the bench, started before it and ended after it.
import type { Effort } from './effort.ts'
import type { Contest } from './measure.ts'
import {
  type DataFolder,
  makeDataFolder,
  type Subject,
  sourceOf,
  startForwarder,
  startGateway,
} from './subjects.ts'

/** One run of the bench. */
export interface Bench {
  readonly upstream: Subject
  readonly effort: Effort
  /** The folder of the gateway's source; undefined: a second forwarder takes the gateway's place. */
  readonly checkout: string | undefined
  /** The folder of the source of another gateway, for figures before and after a change. */
  readonly against: string | undefined
  /** Whether the gateway counts its calls for Prometheus; that of the other checkout does not. */
  readonly metrics: boolean
}

const METRICS = '[metrics]\ntoken = "bench-metrics-token"\n'

/**
 * Starts the subjects, and ends them when the work on them is done.
 * @param slow_disk the environment of gateways whose fsync is slow
 */
export async function withContest<T>(
  { upstream, checkout, against, metrics }: Bench,
  work: (contest: Contest) => Promise<T>,
  slow_disk?: Record<string, string>,
): Promise<T> {
  const folders: DataFolder[] = []
  const subjects: Subject[] = []
  const started = async (starting: Promise<Subject>): Promise<Subject> => {
    const subject = await starting
    subjects.push(subject)
    return subject
  }
  const gatewayOf = async (source: string, sections = ''): Promise<Subject> => {
    const data = await makeDataFolder(sourceOf(source), upstream.port, '', sections)
    folders.push(data)
    return started(startGateway(data, slow_disk))
  }
  try {
    return await work({
      gateway: await (checkout === undefined
        ? started(startForwarder(upstream))
        : gatewayOf(checkout, metrics ? METRICS : '')),
      before: against === undefined ? undefined : await gatewayOf(against),
      forwarder: await started(startForwarder(upstream)),
    })
  } finally {
    await Promise.all(subjects.map((subject) => subject.process.stop()))
    for (const folder of folders) folder.remove()
  }
}
