// The tokens of a request's media: the maximum that its models can bill, and a typical estimate.
import { familyOf, type MediaFamily } from './families.ts'
import type { Medium } from './medium.ts'

/**
 * Returns the maximum tokens that media can be billed as, by the most expensive of the possible models.
 *
 * @param models the names that identify their generations
 * @param context in tokens, the maximum that a model reads: the bound of a medium that cannot be measured
 */
export function boundMedia(media: readonly Medium[], models: readonly string[], context: number): number {
  if (media.length === 0) return 0
  const families = new Set(models.map(familyOf))
  return Math.max(
    0,
    ...families.values().map((family) => sumOf(media, (one) => boundOf(one, family, context))),
  )
}

/** Whether a medium cannot be measured for one of the models, so that a whole context is held. */
export const isUncounted = (media: readonly Medium[], models: readonly string[]): boolean =>
  media.some((one) =>
    models.some(
      (model) => boundOf(one, familyOf(model), Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY,
    ),
  )

const sumOf = (media: readonly Medium[], tokensOf: (medium: Medium) => number): number =>
  Math.ceil(media.reduce((sum, medium) => sum + tokensOf(medium), 0))

function boundOf(medium: Medium, family: MediaFamily, context: number): number {
  switch (medium.kind) {
    case 'image':
      return family.image(medium.size, medium.detail)
    case 'document': {
      const { pages, text_tokens } = medium
      const text = family.bills_page_text ? text_tokens : 0
      return pages === undefined || text === undefined
        ? context
        : Math.min(context, pages * family.page_tokens + text)
    }
    case 'audio':
      return medium.seconds * family.audio_tokens_per_s
    case 'video':
      return family.frame_tokens === undefined
        ? context
        : medium.seconds * (family.frame_tokens * medium.frames_per_s + family.audio_tokens_per_s)
    case 'uncounted':
      return context
  }
}

/** A typical image of unknown size. */
const IMAGE_TOKENS = 1_600
/** A page of text: "1,500 to 3,000 tokens" (platform.claude.com, "PDF support"). */
const PAGE_TOKENS = 2_000
const SECOND_OF_AUDIO_TOKENS = 32
const FRAME_TOKENS = 258
/** About a dozen pages, or a minute of video. */
const UNCOUNTED_TOKENS = 32_768
/** A page has about 50 kB. */
const UNCOUNTED_BYTES_PER_TOKEN = 20

/** Estimates the tokens of media for any model. */
export const estimateMedia = (media: readonly Medium[]): number =>
  media.length === 0 ? 0 : sumOf(media, estimateOf)

/**
 * Estimates the tokens of media for certain models, at most their maximum and the context. The estimate is charged if a provider reports no
 * usage.
 */
export const estimateFor = (media: readonly Medium[], models: readonly string[], context: number): number =>
  Math.min(context, estimateMedia(media), boundMedia(media, models, context))

function estimateOf(medium: Medium): number {
  switch (medium.kind) {
    case 'image':
      return IMAGE_TOKENS
    case 'document':
      return medium.pages === undefined ? UNCOUNTED_TOKENS : medium.pages * PAGE_TOKENS
    case 'audio':
      return medium.seconds * SECOND_OF_AUDIO_TOKENS
    case 'video':
      return medium.seconds * (FRAME_TOKENS * medium.frames_per_s + SECOND_OF_AUDIO_TOKENS)
    case 'uncounted':
      return Math.min(
        UNCOUNTED_TOKENS,
        (medium.bytes ?? Number.POSITIVE_INFINITY) / UNCOUNTED_BYTES_PER_TOKEN,
      )
  }
}
