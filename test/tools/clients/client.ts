// The interface of a real client: its installation, its features and its runs.
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Connection, Feature, Observation } from './feature.ts'

export const GROUPS = ['JavaScript', 'Python', 'Go', 'Agents'] as const

export interface Client {
  /** The name for `--only`: lower-case words, joined by hyphens. */
  readonly name: string
  /** Its name in the list, without its version. */
  readonly title: string
  readonly group: (typeof GROUPS)[number]
  readonly version: string
  /** The protocol that it speaks, which decides the model for its trials. */
  readonly protocol: BuiltInProtocol
  /** True if it uses a WebSocket where a server offers one. */
  readonly over_websocket?: boolean
  /** Whether it needs model names of a real provider. */
  readonly wants_known_models?: boolean
  /** Absent for a development package of this project. */
  readonly install?: Installation
  /** The features that it has; the list leaves out the rest. */
  readonly features: readonly Feature[]
  /** Uses one feature. @throws its own error, or an Error with its output */
  show(feature: Feature, at: Connection, place: Place): Promise<Observation>
}

/** The packages of a client; clients with the same folder share an installation. */
export interface Installation {
  readonly by: 'pip' | 'npm' | 'go'
  /** A folder of the cache. */
  readonly folder: string
  /** The installer's names of them, with versions. */
  readonly packages: readonly string[]
}

/** The folders of a client's run. */
export interface Place {
  /** The folder of its installation. */
  readonly installed: string
  /** An empty folder of this run: its working directory, and its home. */
  readonly work: string
}
