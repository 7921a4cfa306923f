// Names in LiteLLM's configuration besides `model_list`: aliases, fallbacks and wildcard entries.
import type { LeftOut } from '../move-in.ts'
import type { LitellmConfig } from './config.ts'
import type { Deployment } from './deployments.ts'
import { elementsOf, type Fields, fieldsOf, textOf, textsOf } from './values.ts'

/** Returns aliases of models: https://docs.litellm.ai/docs/proxy/reliability and litellm 1.72.6 types/router.py. */
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
 * Reads the fallbacks of models, in order: https://docs.litellm.ai/docs/proxy/reliability
 *
 * @returns a function of a model's names; it takes the first name that has fallbacks
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
 * Replaces each wildcard entry (`openai/*`) by entries for the models that match it and are named anywhere: the catalogue needs models by name.
 *
 * @param named models that keys, teams, users, access groups, fallbacks, aliases or the daily sums name
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
    // LiteLLM prefers the longest pattern: litellm 1.72.6 router_utils/pattern_match_deployments.py.
    const [closest] = [...wildcards.keys()]
      .filter((pattern) => starredPart(pattern, name) !== undefined)
      .toSorted((one, other) => other.length - one.length)
    if (closest === undefined) continue
    found.get(closest)?.push(name)
    const part = starredPart(closest, name) ?? ''
    for (const wildcard of wildcards.get(closest) ?? [])
      deployments.push({ ...wildcard, name, model: wildcard.model.replace('*', () => part) })
  }
  return { deployments, left_out: [...found].map(([pattern, names]) => wildcardNote(pattern, names)) }
}

/** Returns the part of a name in place of the star; undefined if the pattern does not match. */
function starredPart(pattern: string, name: string): string | undefined {
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
