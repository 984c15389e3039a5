/** `deploy`: what a project needs to run as containers. */
import type { Command } from 'commander'
import { type CommonOptions, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

interface KubernetesCommandOptions extends CommonOptions {
  readonly image: string
  readonly namespace: string
  readonly prometheus: string
  readonly secrets?: string
}

export function deployCommands(program: Command, shell: Shell): void {
  const deploy = program
    .command('deploy')
    .description('Write what a project with tools of its own needs to run as containers')
    .helpCommand(false)
  withCommon(deploy.command('files'))
    .description('Write a Dockerfile, a .dockerignore and a compose.yaml into the folder')
    .action(async (options: CommonOptions) => {
      const { writeDeployFiles } = await import('../deployment/write-files.ts')
      await writeDeployFiles(shell.cwd, createTerminal({ json: options.json === true }))
    })
  withCommon(deploy.command('secrets'))
    .description(
      'Make secrets/: one file of variables per role; DATABASE_URL and REDIS_URL name those of your own',
    )
    .action(async (options: CommonOptions) => {
      const { writeSecrets } = await import('../deployment/write-secrets.ts')
      await writeSecrets(shell, createTerminal({ json: options.json === true }))
    })
  withCommon(deploy.command('kubernetes'))
    .description('Print the objects of Kubernetes for the queues of the configuration, as YAML')
    .requiredOption('--image <image>', 'the image of the project')
    .option('--namespace <namespace>', 'where it stands', 'signalbox')
    .option(
      '--prometheus <url>',
      'the Prometheus that KEDA asks',
      'http://prometheus-operated.monitoring:9090',
    )
    .option('--secrets <folder>', 'print the Secrets of this folder, and nothing else')
    .action(async ({ json, ...options }: KubernetesCommandOptions) => {
      const { printKubernetes } = await import('../deployment/print-kubernetes.ts')
      await printKubernetes(shell, createTerminal({ json: json === true }), options)
    })
}
