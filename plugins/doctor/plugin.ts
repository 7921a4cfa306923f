// The doctor plugin: a check-up of the data folder, the machine and the providers, by command and in the console.
import { definePlugin } from '../../src/app/plugin.ts'
import { checks } from './checks/list.ts'

export const doctor = definePlugin({
  name: 'doctor',
  open: async ({ operations: { data_folder }, calls: { now } }) =>
    (await import('./check-up.ts')).createDoctor(data_folder, now),
  console_routes: async () => (await import('./console.ts')).doctorRoutes,
  commands: { doctor: async () => (await import('./command.ts')).addDoctorCommand },
  checks,
  close: (doctor) => doctor.stop(),
})
