// The shape of a transcription, as JSON or as text in the requested format; anything else is an error in its place.
import { UpstreamFault } from '../../../domain/errors.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'

/** The formats that are text, and how a text in each of them looks. Bare text may be anything but JSON. */
const FORMATS = {
  text: () => true,
  srt: (text: string) => text.trim() === '' || text.includes('-->'),
  vtt: (text: string) => /^\ufeff?WEBVTT/.test(text),
} as const

export type TextFormat = keyof typeof FORMATS

/** @param format the `response_format` of a request */
export const textFormatOf = (format: string | undefined): TextFormat | undefined =>
  format !== undefined && Object.hasOwn(FORMATS, format) ? (format as TextFormat) : undefined

const TEXT_TYPE = /^(text\/(?!html\b|xml\b)|application\/(x-)?(subrip|srt)\b)/i

/** @throws UpstreamFault if a text that is not JSON was not requested, or is not in the format */
export function assertText(text: string, content_type: string, format: TextFormat | undefined): void {
  if (format === undefined || !TEXT_TYPE.test(content_type))
    throw new UpstreamFault(`the upstream sent ${content_type}, which was not asked for`)
  if (!FORMATS[format](text)) throw new UpstreamFault(`the upstream sent ${content_type}, but no ${format}`)
}

/** @throws UpstreamFault if JSON has no transcript: some servers report errors in forms of their own */
export function assertTranscript({ text }: JsonObject): void {
  if (typeof text !== 'string') throw new UpstreamFault('the upstream sent JSON without a text')
}
