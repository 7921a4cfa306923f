// The places of inline media in responses requests.
import { inFields, inItems, inTypes, type MediaFields, type MediaPlaces } from '../../media-places.ts'
import { isObject } from '../../wire/json.ts'
import { file_data, image_url, input_audio } from '../media-places.ts'
import { IMAGE_ITEM } from './image-items.ts'

const parts = inItems(inTypes({ input_image: image_url, input_file: file_data, input_audio }))

const screenshot = inTypes({ computer_screenshot: image_url })

/** An image that a model generated and a client sends back. Its format is in another field, so it has no type here. */
const generatedImage: MediaPlaces = inFields({
  result: (value, change) =>
    typeof value === 'string' ? change({ is_image: false, mime_type: undefined, data: value }).data : value,
})

const item = inFields({
  content: parts,
  output: (value, change) => (Array.isArray(value) ? parts : screenshot)(value, change),
})

export const mediaFields: MediaFields = {
  input: (value, change) =>
    (isObject(value) && value.type === IMAGE_ITEM ? generatedImage : item)(value, change),
  tools: inFields({ input_image_mask: image_url }),
}
