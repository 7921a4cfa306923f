// The sections of settings that plugins bring, for all tests that read a catalogue.
import { plugins } from '../../plugins/index.ts'
import { sectionsOf } from '../../src/app/plugins.ts'
import { addSections } from '../../src/catalogue/sections.ts'

addSections(sectionsOf(plugins))
