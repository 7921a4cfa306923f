// A program that prints the public key of its release, with a package of CommonJS modules that name their folders.
import 'pino'
import { RELEASE_PUBLIC_KEY } from '../../../src/build/release/public-key.ts'

process.stdout.write(`${RELEASE_PUBLIC_KEY}\n`)
