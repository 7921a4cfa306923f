// The tokens of a request's media: the most that its models can bill, and what they usually have.
import { familyOf, type MediaFamily } from './families.ts'
import type { Medium } from './medium.ts'

/**
 * The most tokens that media can be billed as, by the dearest of the models that may read them.
 *
 * @param models by the names that tell their generations
 * @param context tokens: what a medium is held for that cannot be counted. A model reads no more.
 */
export function boundMedia(media: readonly Medium[], models: readonly string[], context: number): number {
  if (media.length === 0) return 0
  const families = new Set(models.map(familyOf))
  return Math.max(
    0,
    ...families.values().map((family) => sumOf(media, (one) => boundOf(one, family, context))),
  )
}

/** Whether some of the media cannot be counted for one of the models, so that all of a context is held. */
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

/** Tokens of an image of unknown size, as most models read it. */
const IMAGE_TOKENS = 1_600
/** A page of text: "1,500 to 3,000 tokens" (platform.claude.com, "PDF support"). */
const PAGE_TOKENS = 2_000
const SECOND_OF_AUDIO_TOKENS = 32
const FRAME_TOKENS = 258
/** A dozen pages, a minute of video. */
const UNCOUNTED_TOKENS = 32_768
/** A page of 50 kB. */
const UNCOUNTED_BYTES_PER_TOKEN = 20

/** The usual tokens of the media, by any reader. */
export const estimateMedia = (media: readonly Medium[]): number =>
  media.length === 0 ? 0 : sumOf(media, estimateOf)

/**
 * The same for the models that may read them: no more than they can bill, and than a model reads. It is charged where a provider reports
 * nothing.
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
