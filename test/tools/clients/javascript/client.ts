// A JavaScript client of the gateway: a package of npm on one surface, and what it does for each feature.
import type { BuiltInProtocol } from '../../../../src/protocols/registry.ts'
import type { Connection, Feature, Shown } from '../feature.ts'
import { UNKNOWN_MODEL, WRONG_KEY } from '../feature.ts'

export interface JavascriptClient {
  /** The package, and where it has several surfaces the one that is used. */
  readonly name: string
  /** The package whose version counts. */
  readonly package: string
  /** The surface that its calls are recorded under. */
  readonly surface: string
  /** The protocol that it speaks, and so the model that it is tried with. */
  readonly protocol: BuiltInProtocol
  readonly features: Readonly<Partial<Record<Feature, (at: Connection) => Promise<Shown>>>>
}

/** What a call throws with a wrong key, and for an unknown model. */
export async function refusals(
  at: Connection,
  ask: (at: Connection) => Promise<unknown>,
): Promise<Pick<Shown, 'wrong_key' | 'unknown_model'>> {
  return {
    wrong_key: await thrownBy(ask({ ...at, key: WRONG_KEY })),
    unknown_model: await thrownBy(ask({ ...at, model: UNKNOWN_MODEL })),
  }
}

async function thrownBy(asking: Promise<unknown>): Promise<string> {
  try {
    await asking
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  }
  return 'nothing was thrown'
}
