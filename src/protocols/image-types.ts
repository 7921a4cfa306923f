// The types of images that text models take inline, by the protocol of their provider, and by server where one takes fewer.

const JPEG = 'image/jpeg'
const PNG = 'image/png'
const WEBP = 'image/webp'
const GIF = 'image/gif'

/**
 * https://platform.claude.com/docs/en/build-with-claude/vision, https://platform.openai.com/docs/guides/images-vision (GIF where it is not
 * animated), https://ai.google.dev/gemini-api/docs/image-understanding; of native requests also spec.md, Native generation request.
 */
const BY_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  anthropic: [JPEG, PNG, GIF, WEBP],
  openai: [JPEG, PNG, GIF, WEBP],
  gemini: [JPEG, PNG, WEBP, 'image/heic', 'image/heif'],
}

/** https://docs.x.ai/docs/guides/image-understanding */
const BY_SERVER: Readonly<Record<string, readonly string[]>> = { xai: [JPEG, PNG] }

/** @returns undefined for a protocol of which that is not known: then all are sent as they are */
export const imageTypesOf = (protocol: string, server: string | undefined): readonly string[] | undefined =>
  (server === undefined ? undefined : BY_SERVER[server]) ?? BY_PROTOCOL[protocol]
