// The providers to choose from: well-known ones, each with a name that is free in the catalogue.

import type { Option } from '../../../console/web/parts/select.tsx'
import type { Known } from '../parts/known.ts'

export type Protocol = Known['protocols'][number]

const TITLES: Readonly<Record<Protocol, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
}

const isProtocol = (name: string): name is Protocol => Object.hasOwn(TITLES, name)

export const PROTOCOLS: readonly Protocol[] = Object.keys(TITLES).filter(isProtocol)

/** Returns the title of a protocol; for a custom plugin's protocol, its name. */
export const protocolTitle = (name: string): string => (isProtocol(name) ? TITLES[name] : name)

export const protocolOptions = (protocols: readonly Protocol[]): Option<Protocol>[] =>
  protocols.map((value) => ({ value, label: TITLES[value] }))

export type ServerField = Known['fields'][number]['name']

export interface Choice extends Omit<Known, 'protocols' | 'models'> {
  detail: string
  protocols: readonly Protocol[]
  /** Well-known models, by the provider's names. */
  models: readonly string[]
}

/** @param taken names of the catalogue's providers */
export const choicesOf = (known: readonly Known[], taken: readonly string[]): Choice[] =>
  known.map((one) => ({
    ...one,
    name: freeName(one.name, taken),
    models: one.models.map(({ model }) => model),
    detail: detailOf(one),
  }))

function freeName(name: string, taken: readonly string[]): string {
  let free = name
  for (let count = 2; taken.includes(free); count++) free = `${name}-${count}`
  return free
}

/** Empty for providers with an API key, which is the usual case. */
function detailOf({ name, server, takes_key, takes_accounts }: Known): string {
  if (name === 'simulator') return 'Made-up answers, free'
  if (server === null) return 'At its address'
  if (takes_accounts) return 'With a service account'
  return takes_key === 'maybe' ? 'On this machine' : ''
}
