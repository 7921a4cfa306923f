// What a first visit chooses from: well-known providers, and those that the catalogue has already.
import type { api, ask } from '../../app/client.ts'
import type { Option } from '../../parts/select.tsx'

type Asked<Call extends (...given: never[]) => Parameters<typeof ask>[0]> = Awaited<
  ReturnType<typeof ask<Awaited<ReturnType<Call>>>>
>

export type SetupState = Asked<typeof api.setup.get>
export type Trial = Asked<typeof api.providers.try.post>
export type MadeKey = Asked<typeof api.setup.account.post>
export type FirstCallView = Asked<(typeof api.setup)['first-call']['get']>
export type Known = SetupState['known'][number]
export type Protocol = Known['protocol']

export const PROTOCOLS: readonly Option<Protocol>[] = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'gemini', label: 'Gemini' },
]

/** A provider to choose. */
export interface Choice {
  title: string
  detail: string
  /** Its name in the catalogue. */
  name: string
  protocol: Protocol
  base_url: string
  keys_url: string
  takes_key: Known['takes_key']
  /** The provider's own names of models that it is known to have. */
  models: readonly string[]
  /** It is in the catalogue: there is nothing to save. */
  saved: boolean
}

/** The well-known ones first, then what else the catalogue has. */
export function choicesOf({ known, providers, models }: SetupState): Choice[] {
  const from_list = known.map((one): Choice => {
    const there = providers.find(({ name, protocol }) => name === one.name && protocol === one.protocol)
    return {
      ...one,
      models: one.models.map(({ model }) => model),
      saved: there !== undefined,
      detail: detailOf(one, there !== undefined),
    }
  })
  const others = providers
    .filter(({ name, simulated }) => !simulated && !known.some((one) => one.name === name))
    .map(
      ({ name, protocol }): Choice => ({
        title: name,
        detail: 'In the catalogue',
        name,
        protocol: PROTOCOLS.find(({ value }) => value === protocol)?.value ?? 'openai',
        base_url: 'saved',
        keys_url: '',
        takes_key: 'no',
        models: models.filter((model) => model.providers.includes(name)).map(({ id }) => id),
        saved: true,
      }),
    )
  return [...from_list, ...others]
}

function detailOf({ name, takes_key }: Known, is_saved: boolean): string {
  if (name === 'simulator') return 'Made-up answers, no key, no costs'
  if (is_saved) return 'In the catalogue'
  return takes_key === 'maybe' ? 'Ollama, vLLM, OpenRouter …' : 'With an API key'
}

/** What is suggested for a model: the price that its provider lists. */
export const knownModel = ({ known }: SetupState, model: string) =>
  known.flatMap(({ models }) => models).find((one) => one.model === model)
