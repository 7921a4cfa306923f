// The protocols that providers speak, by the names that people know them by.

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

/** The title of a protocol; of a custom plugin's, its own name. */
export const protocolTitle = (name: string): string => (isProtocol(name) ? TITLES[name] : name)

export const protocolOptions = (protocols: readonly Protocol[]): Option<Protocol>[] =>
  protocols.map((value) => ({ value, label: TITLES[value] }))
