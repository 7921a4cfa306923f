// Names of models in LiteLLM's configuration beside `model_list`: aliases, fallbacks and wildcard entries.
import type { LeftOut } from '../move-in.ts'
import type { LitellmConfig } from './config.ts'
import type { Deployment } from './deployments.ts'
import { elementsOf, type Fields, fieldsOf, textOf, textsOf } from './values.ts'

/** Names of callers for models of another name: https://docs.litellm.ai/docs/proxy/reliability and litellm 1.72.6 types/router.py. */
export function aliasesIn({ router_settings, litellm_settings }: LitellmConfig): ReadonlyMap<string, string> {
  const all = {
    ...fieldsOf(litellm_settings.model_alias_map),
    ...fieldsOf(router_settings.model_group_alias),
  }
  return new Map(
    Object.entries(all).flatMap(([alias, value]) => {
      const target = textOf(value) ?? textOf(fieldsOf(value).model)
      return target === undefined ? [] : [[alias, target] as const]
    }),
  )
}

/**
 * The models that are tried after a model, in order: https://docs.litellm.ai/docs/proxy/reliability
 *
 * @returns a function of the model's names, of which the first with fallbacks counts
 */
export function fallbacksIn({
  router_settings,
  litellm_settings,
}: LitellmConfig): (names: readonly string[]) => readonly string[] {
  const settings: readonly Fields[] = [litellm_settings, router_settings]
  const by_model = new Map(
    settings
      .flatMap((each) => elementsOf(each.fallbacks))
      .flatMap((each) => Object.entries(fieldsOf(each)))
      .map(([model, targets]) => [model, textsOf(targets)] as const),
  )
  const by_default = settings.flatMap((each) => textsOf(each.default_fallbacks))
  return (names) => {
    const own = [...names, '*'].find((name) => by_model.has(name))
    const targets = (own === undefined ? undefined : by_model.get(own)) ?? by_default
    return targets.filter((each) => !names.includes(each))
  }
}

const isWildcard = (name: string): boolean => name.includes('*')

interface Expanded {
  readonly deployments: readonly Deployment[]
  readonly left_out: readonly LeftOut[]
}

/**
 * Replaces wildcard entries (`openai/*`) by an entry for each model that something names: a catalogue sells models by their names.
 *
 * @param named models that keys, teams, fallbacks, aliases or the log name
 */
export function expandWildcards(all: readonly Deployment[], named: Iterable<string>): Expanded {
  const exact = all.filter(({ name }) => !isWildcard(name))
  const wildcards = Map.groupBy(
    all.filter(({ name }) => isWildcard(name)),
    ({ name }) => name,
  )
  const known = new Set(exact.map(({ name }) => name))
  const found = new Map<string, string[]>([...wildcards.keys()].map((pattern) => [pattern, []]))
  const deployments = [...exact]
  for (const name of new Set(named)) {
    if (known.has(name) || isWildcard(name)) continue
    // The longest pattern is the closest: litellm 1.72.6 router_utils/pattern_match_deployments.py.
    const [closest] = [...wildcards.keys()]
      .filter((pattern) => matchOf(pattern, name) !== undefined)
      .toSorted((one, other) => other.length - one.length)
    if (closest === undefined) continue
    found.get(closest)?.push(name)
    const part = matchOf(closest, name) ?? ''
    for (const wildcard of wildcards.get(closest) ?? [])
      deployments.push({ ...wildcard, name, model: wildcard.model.replace('*', () => part) })
  }
  return { deployments, left_out: [...found].map(([pattern, names]) => wildcardNote(pattern, names)) }
}

/** The part of a name in the place of the star; undefined where it does not match. */
function matchOf(pattern: string, name: string): string | undefined {
  const [before = '', ...rest] = pattern.split('*')
  const after = rest.join('*')
  if (!name.startsWith(before) || !name.endsWith(after) || name.length <= before.length + after.length)
    return undefined
  return name.slice(before.length, name.length - after.length)
}

const wildcardNote = (pattern: string, names: readonly string[]): LeftOut => ({
  kind: 'wildcard entries',
  row: `"${pattern}"`,
  reason:
    names.length === 0
      ? 'It has no models of its own, and no key names one. Add an entry for each model that you sell.'
      : `Of it, these come in, which keys or the log name: ${names.join(', ')}. Add an entry for each other model that you sell.`,
})
