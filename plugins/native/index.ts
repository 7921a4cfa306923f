// The settings of the native surface, for the list of models, which Google's SDK reads too where they allow it.
export { nativeSettings } from './settings.ts'
