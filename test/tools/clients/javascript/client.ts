// A JavaScript client of the gateway: a package of npm on one surface, and a function for each of its features.
import type { BuiltInProtocol } from '../../../../src/protocols/registry.ts'
import type { Connection, Feature, Observation } from '../feature.ts'
import { UNKNOWN_MODEL, WRONG_KEY } from '../feature.ts'

export interface JavascriptClient {
  /** The package, with the surface if it has several. */
  readonly name: string
  /** The package whose version counts. */
  readonly package: string
  /** The surface that is recorded for its calls. */
  readonly surface: string
  /** The protocol that it speaks, which decides the model for its trials. */
  readonly protocol: BuiltInProtocol
  readonly features: Readonly<Partial<Record<Feature, (at: Connection) => Promise<Observation>>>>
}

/** The errors of a call with a wrong key, and of one with an unknown model. */
export async function refusals(
  at: Connection,
  ask: (at: Connection) => Promise<unknown>,
): Promise<Pick<Observation, 'wrong_key' | 'unknown_model'>> {
  return {
    wrong_key: await errorOf(ask({ ...at, key: WRONG_KEY })),
    unknown_model: await errorOf(ask({ ...at, model: UNKNOWN_MODEL })),
  }
}

async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  }
  return 'nothing was thrown'
}
