// The places of inline media in chat completions.
import {
  inFields,
  inItems,
  inTypes,
  inUri,
  type MediaFields,
  type MediaPlaces,
  withData,
} from '../media-places.ts'

/** The data URI of an image. */
const image = inUri(true)
const other = inUri(false)
/** Most servers expect an address in an object, some in place of the object. */
const addressed = (uri: MediaPlaces): MediaPlaces => {
  const inObject = inFields({ url: uri })
  return (value, change) => (typeof value === 'string' ? uri : inObject)(value, change)
}

/** Without a MIME type: its `format`, such as `mp3`, is none. */
export const input_audio = inFields({ input_audio: withData([], () => false) })
/** A file by its data. */
export const file_data = inFields({ file_data: other })
/** A part, or an entry of `images`, with an image's address. */
export const image_url = inFields({ image_url: addressed(image) })

export const mediaFields: MediaFields = {
  messages: inFields({
    content: inItems(
      inTypes({
        image_url,
        input_audio,
        file: inFields({ file: file_data }),
        video_url: inFields({ video_url: addressed(other) }),
        audio_url: inFields({ audio_url: addressed(other) }),
      }),
    ),
    /** Images that a model generated and a client sends back. */
    images: inItems(image_url),
  }),
}

/** Moderations accept images among their inputs. */
export const unitMedia: MediaFields = { input: inTypes({ image_url }) }
