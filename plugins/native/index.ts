// Exports the settings of the native surface for the list of models, which Google's SDK can read if they allow it.
export { nativeSettings } from './settings.ts'
