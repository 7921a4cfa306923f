// Models that are priced by units, of a provider that speaks OpenAI's protocol, for the tests of audio, moderations and rerank.
import { modelSection, providerSection } from './sections.ts'

/** The provider's own name for each model. */
export const UPSTREAM = 'upstream-unit-model'

/** USD 15 per million characters, 0.006 per minute of audio, 2 per thousand searches; tokens as `PRICES` has them. */
export const CHARACTER_NANOS = 15_000
export const SEARCH_NANOS = 2_000_000

const model = (id: string, kind: string, price: string, more = ''): string =>
  modelSection(id, { 'speaks-openai': UPSTREAM }, { kind, price, more })

/** Sections for a scene's catalogue. @param url the upstream's address */
export const unitModels = (url: string): string => `
${providerSection('speaks-openai', 'openai', `${url}/v1`, 'cooldown_ms = 0')}
${model('voice', 'speech', 'per_million_characters = 15')}
${model('voice-by-minute', 'speech', 'per_minute = 0.006')}
${model('voice-by-token', 'speech', 'input = 0.6, output = 12')}
${model('voice-strict', 'speech', 'per_million_characters = 15', 'unknown_fields = "refuse"')}
${model('ear', 'transcription', 'per_minute = 0.006')}
${model('ear-by-token', 'transcription', 'input = 2.5, audio = 6, output = 10')}
${model('ear-strict', 'transcription', 'per_second = 0.0001', 'unknown_fields = "refuse"')}
${model('judge', 'moderation', 'input = 0')}
${model('judge-paid', 'moderation', 'input = 0.1')}
${model('sorter', 'rerank', 'per_thousand_searches = 2')}
${model('sorter-by-token', 'rerank', 'input = 0.02')}
`
