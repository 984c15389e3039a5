/** Names of files that programs obey on their own, by kind, from the manuals of the programs; and names that they do not obey. */
export const startingNames: Readonly<Record<string, readonly string[]>> = {
  'shells and what they start':
    '.tcshrc .mkshrc .yashrc .rcrc .oilshrc .xonshrc .logout .config/nushell/config.nu .config/nushell/env.nu .config/elvish/rc.elv .elvish/rc.elv .config/powershell/profile.ps1 .config/zsh/.zshrc .config/bash/bashrc .oh-my-zsh/custom/a.zsh .config/starship.toml .config/oils/oshrc .hushrc'.split(
      ' ',
    ),
  'desktops, mail, services':
    '.lessfilter .forward .procmailrc .qmail .local/share/systemd/user/x.service .local/share/dbus-1/services/x.service .local/share/applications/x.desktop .config/systemd/user/x.service .config/sway/config .config/i3/config Library/LaunchAgents/x.plist Library/LaunchDaemons/x.plist .vnc/xstartup .rhosts'.split(
      ' ',
    ),
  'editors and agents':
    '.config/nvim/init.lua .config/emacs/init.el .config/helix/config.toml .spacemacs .doom.d/init.el .dir-locals-2.el .codex/config.toml opencode.json opencode.jsonc .opencode/plugin/a.ts .qwen/settings.json crush.json .crush.json .kiro/settings/mcp.json .roo/mcp.json .clinerules/a.md .amazonq/mcp.json .junie/mcp.json .factory/mcp.json .openhands/setup.sh .goose/config.yaml .vs/tasks.vs.json .theia/tasks.json .run/a.run.xml .idx/dev.nix .gitpod.yml .replit .vscode-server/data/a.json'.split(
      ' ',
    ),
  'prompts of languages':
    '.Rprofile .Renviron .julia/config/startup.jl .ghci .iex.exs .ipython/profile_default/startup/0.py .jupyter/jupyter_notebook_config.py .erlang .ocamlinit .sbclrc .eclrc .lein/profiles.clj .guile .pylintrc .coveragerc .gnuplot .octaverc .lldbinit-Xcode .gdbearlyinit'.split(
      ' ',
    ),
  'packages and builds':
    '.rvmrc .pnpmrc .bazelrc .bazeliskrc .sdkmanrc .jvmopts .sbtopts nuget.config Directory.Build.props Directory.Build.targets rust-toolchain.toml rust-toolchain ansible.cfg .ansible.cfg .config/pip/pip.conf .config/go/env .terraformrc'.split(
      ' ',
    ),
  'build servers and version control':
    '.zuul.yaml zuul.d/jobs.yaml .vela.yml .space.kts appspec.yml amplify.yml .ebextensions/a.config .platform/hooks/prebuild/a.sh .prow.yaml .packit.yaml heroku.yml nixpacks.toml firebase.json .evergreen.yml .jj/repo/config.toml .sl/config .bzr/branch/branch.conf .svn/wc.db'.split(
      ' ',
    ),
}

/** Written every day, and obeyed by no program that did not ask for source code. */
export const harmlessNames: readonly string[] =
  'Gemfile gulpfile.js action.yml README.md src/index.ts src/rc.ts src/profile.ts .prettierrc .editorconfig .eslintrc .babelrc .browserslistrc .nvmrc .swcrc .gitignore .dockerignore .prettierignore config/app.json docs/opencode.md src/arc lib/forward.ts run/a.ts notes.erlang tests/fixtures/a.rs tsconfig.json Cargo.toml go.mod requirements.txt'.split(
    ' ',
  )
