// Media in requests of OpenAI's protocols: an estimate of the tokens that audio and files have.
import { type Json, stringIn } from '../wire/json.ts'

/** Audio is read as 10 tokens a second; a second is taken as 16 kB (MP3 at 128 kbit/s). */
const AUDIO_BYTES_PER_TOKEN = 1_600
/** A file's page is read as text and as an image; a page is taken as 50 kB. */
const FILE_BYTES_PER_TOKEN = 20
/** The gateway does not see a file that is only referred to: it counts as a dozen pages. */
export const UNSEEN_FILE_TOKENS = 32_768

/** @param data base64 */
export const audioTokens = (data: Json | undefined): number => base64Tokens(data, AUDIO_BYTES_PER_TOKEN)

/** @param data base64; absent if the file is only referred to */
export const fileTokens = (data: Json | undefined): number =>
  base64Tokens(data, FILE_BYTES_PER_TOKEN) || UNSEEN_FILE_TOKENS

const base64Tokens = (data: Json | undefined, bytes_per_token: number): number =>
  Math.ceil(((stringIn(data)?.length ?? 0) * 3) / 4 / bytes_per_token)
