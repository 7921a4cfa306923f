// Rules on the images of a chat, by the types that its server takes: OpenAI's, and those of other servers with a list.
import { refusal } from '../dialect.ts'
import { type JsonObject, objectOf, textOf } from '../json.ts'
import { isAnimatedGif } from '../media.ts'
import { firstOf, type Rule } from '../rule.ts'
import { messagesOf, partsOf } from './messages.ts'

interface InlineImage {
  readonly field: string
  readonly mime: string
  readonly data: string
}

const inlineImages = (body: JsonObject): InlineImage[] =>
  messagesOf(body).flatMap((message, at) =>
    partsOf(message).flatMap(({ image_url }, nth) => {
      const url = textOf(objectOf(image_url).url)
      const [, mime, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []
      const field = `messages[${at}].content[${nth}].image_url.url`
      return mime === undefined || data === undefined ? [] : [{ field, mime, data }]
    }),
  )

/** A server's own list of types. @param message the refusal of all others */
export const imageTypes = (
  server: string,
  types: readonly string[],
  message: string,
  source: string,
): Rule => ({
  name: `${server}: types of images`,
  source,
  find: ({ body }) =>
    firstOf(inlineImages(body), ({ field, mime }) =>
      types.includes(mime) ? undefined : refusal(field, message),
    ),
})

export const WEB_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const UNSUPPORTED =
  "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the following formats: ['png', 'jpeg', 'gif', 'webp']."

export const OPENAI_TYPES = imageTypes(
  'openai',
  WEB_TYPES,
  UNSUPPORTED,
  'https://github.com/CosmosShadow/gptpdf/issues/6',
)

export const OPENAI_STILLS: Rule = {
  name: 'openai: animated images',
  source:
    'https://platform.openai.com/docs/guides/images-vision, https://community.openai.com/t/how-to-use-bmp-images-with-api/653232',
  find: ({ body }) =>
    firstOf(inlineImages(body), ({ field, data }) =>
      isAnimatedGif(data) ? refusal(field, UNSUPPORTED) : undefined,
    ),
}
