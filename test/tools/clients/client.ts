// One real client: how it is installed, what it can do, and how it is made to do it.
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Connection, Feature, Shown } from './feature.ts'

export const GROUPS = ['JavaScript', 'Python', 'Go', 'Agents'] as const

export interface Client {
  /** How it is chosen with `--only`: lower-case words, joined by hyphens. */
  readonly name: string
  /** How it is called in the list, without its version. */
  readonly title: string
  readonly group: (typeof GROUPS)[number]
  readonly version: string
  /** The protocol that it speaks to models, which decides the model that it is tried with. */
  readonly protocol: BuiltInProtocol
  /** It goes over a WebSocket, where there is one. */
  readonly over_websocket?: boolean
  /** Whether it wants models whose names its provider has too. */
  readonly wants_known_models?: boolean
  /** Left out where it is a development package of this project. */
  readonly install?: Installation
  /** What it can do at all; the list leaves out the rest. */
  readonly features: readonly Feature[]
  /** Makes it do one thing. @throws what it throws, or with what it printed */
  show(feature: Feature, at: Connection, place: Place): Promise<Shown>
}

/** What is installed; clients of the same folder share it. */
export interface Installation {
  readonly by: 'pip' | 'npm' | 'go'
  /** A folder of the cache. */
  readonly folder: string
  /** As the installer names them, versions included. */
  readonly packages: readonly string[]
}

/** Where a client runs. */
export interface Place {
  /** The folder of its installation. */
  readonly installed: string
  /** An empty folder of this run: its working directory, and its home. */
  readonly work: string
}
